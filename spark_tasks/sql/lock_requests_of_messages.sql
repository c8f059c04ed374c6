-- One row per request of the given messages. The lock prevents new responses to it until we commit.
SELECT req_id
  FROM request
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY req_id
   FOR UPDATE
