DELETE FROM user_session WHERE user_id = %(user_id)s
