-- The session stays as old as it is.
UPDATE user_session SET key_sha256 = %(new_key)s WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
