UPDATE user_session
   SET data = %(data)s, user_id = %(user_id)s, password_digest = %(password_digest)s,
       provider_session = %(provider_session)s
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
