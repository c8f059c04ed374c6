-- One row per live child of the given messages, which may be gone themselves, with the parent.
SELECT child.msg_id, chosen.id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id FROM message WHERE parent_msg_id = chosen.id LIMIT %(most)s) AS child
