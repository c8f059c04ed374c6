INSERT INTO passkey_challenge (challenge, session_sha256, user_id, purpose, ends_at)
VALUES (%(challenge)s, %(session)s, %(user_id)s, %(purpose)s, statement_timestamp() + %(length)s)
