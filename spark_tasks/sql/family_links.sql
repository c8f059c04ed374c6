-- One row per message that names a parent, for parents from start to end. Served by message_parent_idx only.
SELECT msg_id, parent_msg_id
  FROM message
 WHERE parent_msg_id >= %(start)s
   AND parent_msg_id <= %(end)s
