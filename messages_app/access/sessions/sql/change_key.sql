-- The new key does not restart the age of the session. Values are masked again after a login.
UPDATE user_session
   SET key_sha256 = %(new_key)s, revealed_until = CASE WHEN %(keeps_values)s THEN revealed_until END
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
