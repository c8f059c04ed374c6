-- One row per live message of the given ids that names a parent: the message and its parent. OFFSET 0 keeps
-- the look-ups separate; for a join the planner might read a whole table.
SELECT chosen.id, message.parent_msg_id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT parent_msg_id FROM message WHERE msg_id = chosen.id OFFSET 0) AS message
 WHERE message.parent_msg_id IS NOT NULL
