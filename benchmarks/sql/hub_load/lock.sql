SELECT msg_id FROM message WHERE msg_id = %(msg_id)s AND state = 'NEW' FOR UPDATE
