-- The second column is true if the use must be recorded: once a minute, and not on a read-only server, as
-- after a failover.
SELECT data,
       last_used_at < statement_timestamp() - interval '1 minute'
         AND current_setting('transaction_read_only') = 'off',
       CASE WHEN revealed_until > statement_timestamp() THEN revealed_until END
  FROM user_session
 WHERE key_sha256 = %(key)s AND ends_at > statement_timestamp()
