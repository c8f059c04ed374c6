-- One row per archived child of the given messages, which themselves may be missing.
SELECT msg_id, parent_msg_id, state
  FROM archived_relative
 WHERE parent_msg_id = ANY (%(ids)s)
