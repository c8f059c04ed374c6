INSERT INTO user_session (key_sha256, data, user_id, password_digest, provider_session, began_at, last_used_at, ends_at,
                          address, browser)
VALUES (%(key)s, %(data)s, %(user_id)s, %(password_digest)s, %(provider_session)s, statement_timestamp(), statement_timestamp(),
        statement_timestamp() + %(idle)s, %(address)s, %(browser)s)
ON CONFLICT (key_sha256) DO NOTHING
