DELETE FROM user_session WHERE session_id = %(session_id)s AND user_id = %(user_id)s
