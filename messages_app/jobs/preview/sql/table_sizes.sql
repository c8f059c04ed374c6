-- One row per given table: its name, its size in bytes with indexes and long texts, and its approximate
-- number of rows.
SELECT name, pg_total_relation_size(pg_class.oid), pg_class.reltuples
  FROM unnest(%(tables)s::text[]) AS asked (name)
  JOIN pg_class ON pg_class.oid = table_behind(name)
