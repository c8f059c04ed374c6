-- As many rows as messages of the given ids lay in the part.
DELETE FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
   AND part_id = %(part_id)s
