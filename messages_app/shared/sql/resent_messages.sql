-- One row per message that was corrected and resent: its id, and the id of the new message.
SELECT original_id, msg_id FROM resent_message WHERE original_id = ANY (%(ids)s)
