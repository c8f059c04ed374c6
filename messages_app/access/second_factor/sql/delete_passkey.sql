DELETE FROM passkey WHERE passkey_id = %(passkey_id)s AND user_id = %(user_id)s RETURNING name, host
