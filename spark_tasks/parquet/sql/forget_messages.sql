-- As many rows as messages of the given ids lay in a part: they lie there no more.
DELETE FROM cold_message WHERE msg_id = ANY (%(ids)s)
