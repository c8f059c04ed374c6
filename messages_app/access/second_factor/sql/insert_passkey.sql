-- Nothing is inserted if the key is known, also of another user, or if the user has too many.
INSERT INTO passkey (user_id, name, host, credential_id, credential, sign_count, created_at)
SELECT %(user_id)s, %(name)s, %(host)s, %(credential_id)s, %(credential)s, %(sign_count)s, statement_timestamp()
 WHERE (SELECT count(*) FROM passkey WHERE user_id = %(user_id)s) < %(most)s
    ON CONFLICT (credential_id) DO NOTHING
