-- Use does not extend a session beyond its maximum age.
UPDATE user_session
   SET last_used_at = statement_timestamp(),
       ends_at = least(began_at + %(longest)s, statement_timestamp() + %(idle)s),
       address = %(address)s,
       browser = %(browser)s
 WHERE key_sha256 = %(key)s
   AND ends_at > statement_timestamp()
   AND last_used_at < statement_timestamp() - interval '1 minute'
