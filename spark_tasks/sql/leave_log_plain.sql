-- One row if page images go into the log uncompressed until the transaction ends. A move dirties each page once;
-- to compress it by PostgreSQL's old method takes longer than to write it. The newer ones are left on.
SELECT set_config('wal_compression', 'off', true)
 WHERE current_setting('wal_compression') IN ('on', 'pglz')
   AND has_parameter_privilege('wal_compression', 'SET')
