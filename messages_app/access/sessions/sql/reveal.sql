-- The owner is checked again, because the session may have ended or changed its user after the page was
-- rendered.
UPDATE user_session
   SET revealed_until = statement_timestamp() + %(length)s
 WHERE key_sha256 = %(key)s AND user_id = %(user_id)s AND ends_at > statement_timestamp()
RETURNING session_id, revealed_until
