-- One row per message of the given ids that was in the part.
DELETE FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
   AND part_id = %(part_id)s
