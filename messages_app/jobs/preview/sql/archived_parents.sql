-- One row per archived message of the given ids whose parent is archived too: the message and its parent.
-- OFFSET 0 keeps the look-ups separate; for a join the planner might read a whole table.
SELECT chosen.id, relative.parent_msg_id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT parent_msg_id FROM archived_relative WHERE msg_id = chosen.id OFFSET 0) AS relative
 CROSS JOIN LATERAL (SELECT msg_id FROM archived_relative WHERE msg_id = relative.parent_msg_id LIMIT 1) AS parent
