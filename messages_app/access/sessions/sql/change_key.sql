-- The session stays as old as it is. Another log-in reads masked again.
UPDATE user_session
   SET key_sha256 = %(new_key)s, revealed_until = NULL
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
