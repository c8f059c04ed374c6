DELETE FROM passkey_challenge WHERE ends_at < statement_timestamp()
