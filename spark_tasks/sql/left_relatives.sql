-- One row if a child or a parent of the messages just deleted is still live: it was not in a chunk with them.
SELECT msg_id
  FROM message
 WHERE parent_msg_id = ANY (%(msg_ids)s)
UNION ALL
SELECT msg_id
  FROM message
 WHERE msg_id = ANY (%(parents)s)
 LIMIT 1
