-- One row: how many pages a table has on the disk, 0 where it is a view or not there, and about how many rows each
-- has, NULL where nothing was counted yet.
SELECT coalesce(max(pg_relation_size(oid) / current_setting('block_size')::int), 0)::bigint,
       max(CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples / relpages END)::float8
  FROM pg_class
 WHERE oid = to_regclass(%(table)s)
   AND relkind IN ('r', 'm')
