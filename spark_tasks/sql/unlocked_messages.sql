-- One row per message of the given ids that no other session holds; locked in the order of ids.
SELECT msg_id
  FROM message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
   FOR NO KEY UPDATE SKIP LOCKED
