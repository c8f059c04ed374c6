SELECT floor(extract(epoch FROM ends_at - statement_timestamp()))::int, ends_at < began_at + %(longest)s
  FROM user_session
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
