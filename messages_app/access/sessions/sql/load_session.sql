-- Whether its use is to be noted: once a minute, and not on a server that only reads, as after a fail-over.
SELECT data,
       last_used_at < statement_timestamp() - interval '1 minute'
         AND current_setting('transaction_read_only') = 'off',
       CASE WHEN revealed_until > statement_timestamp() THEN revealed_until END
  FROM user_session
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
