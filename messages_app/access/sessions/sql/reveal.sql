-- Whose session it is, is asked once more: it may have ended, or changed hands, since the page was drawn.
UPDATE user_session
   SET revealed_until = statement_timestamp() + %(length)s
 WHERE key_sha256 = %(key)s AND user_id = %(user_id)s AND ends_at > statement_timestamp()
RETURNING session_id, revealed_until
