-- One row: the message that this one corrects, and the message that corrects it; NULL without one.
SELECT (SELECT original_id FROM resent_message WHERE msg_id = %(msg_id)s),
       (SELECT msg_id FROM resent_message WHERE original_id = %(msg_id)s)
