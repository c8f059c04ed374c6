SELECT msg_id
  FROM message
 WHERE msg_id = ANY (%(msg_ids)s)
 ORDER BY msg_id
   FOR NO KEY UPDATE SKIP LOCKED
