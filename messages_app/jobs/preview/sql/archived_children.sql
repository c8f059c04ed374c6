-- One row per archived child of the given messages, with the parent.
SELECT child.msg_id, chosen.id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id FROM archived_relative WHERE parent_msg_id = chosen.id LIMIT %(most)s) AS child
