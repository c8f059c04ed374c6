UPDATE user_session
   SET revealed_until = NULL
 WHERE key_sha256 = %(key)s AND revealed_until > statement_timestamp()
RETURNING session_id
