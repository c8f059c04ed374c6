-- One row: the number of pages that a table, or the table behind a view, has on disk, 0 for another view or a
-- missing table, and the approximate number of rows on each, NULL if nothing was counted yet.
SELECT coalesce(max(pg_relation_size(oid) / current_setting('block_size')::int), 0)::bigint,
       max(CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples / relpages END)::float8
  FROM pg_class
 WHERE oid = table_behind(%(table)s)
   AND relkind IN ('r', 'm')
