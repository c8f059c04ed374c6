-- One row per table: its name, the planner's estimate of its rows (NULL when never analysed), bytes on disk.
SELECT name, nullif(reltuples, -1)::bigint, pg_total_relation_size(pg_class.oid)
  FROM unnest(%(tables)s::text[]) AS asked (name)
  JOIN pg_class ON pg_class.oid = table_behind(name)
