-- One row per table: its name, the planner's estimate of its rows (NULL when never analysed), bytes on disk.
SELECT relname, nullif(reltuples, -1)::bigint, pg_total_relation_size(oid)
  FROM pg_class
 WHERE relname = ANY (%(tables)s)
   AND relnamespace = current_schema()::regnamespace
