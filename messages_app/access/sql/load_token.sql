-- A token by the digest of its key, with its user's id; then whether it has expired, and whether its use must be
-- recorded: once a minute.
SELECT token_id, user_id, name, key_sha256, created_at, expires_at, requests_per_minute, last_used_at, revoked_at,
       scopes,
       expires_at <= statement_timestamp(),
       last_used_at IS NULL OR last_used_at < statement_timestamp() - interval '1 minute'
  FROM api_token
 WHERE key_sha256 = %(key)s
