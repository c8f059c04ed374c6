-- One row per live child of the given messages, with the parent, which may be deleted.
SELECT child.msg_id, chosen.id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id FROM message WHERE parent_msg_id = chosen.id LIMIT %(most)s) AS child
