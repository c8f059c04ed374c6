-- One row per message of the given ids that lies in a part and that nobody else holds: the part.
SELECT msg_id, part_id
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
   FOR UPDATE SKIP LOCKED
