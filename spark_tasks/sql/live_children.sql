-- One row per live child of the given messages, which may be live or not, up to a limit. Served by
-- message_parent_idx.
SELECT msg_id, parent_msg_id
  FROM message
 WHERE parent_msg_id = ANY (%(ids)s)
 LIMIT %(most)s
