-- One row per message of the given ids that was in a part; it is removed from the part.
DELETE FROM cold_message WHERE msg_id = ANY (%(ids)s)
