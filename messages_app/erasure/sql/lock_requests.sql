-- One row per request of the given messages; held, so that no response to it comes.
SELECT req_id
  FROM {table}
 WHERE msg_id = ANY (%(ids)s)
   FOR UPDATE
