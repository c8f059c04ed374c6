-- One row per message of the given ids that is in a part and that no other session holds: the part.
SELECT msg_id, part_id
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
 ORDER BY msg_id
   FOR UPDATE SKIP LOCKED
