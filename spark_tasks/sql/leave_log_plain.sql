-- One row if page images are written to the WAL uncompressed until the transaction ends. A move dirties each
-- page once, and PostgreSQL's old compression takes longer than writing. Newer methods stay on.
SELECT set_config('wal_compression', 'off', true)
 WHERE current_setting('wal_compression') IN ('on', 'pglz')
   AND has_parameter_privilege('wal_compression', 'SET')
