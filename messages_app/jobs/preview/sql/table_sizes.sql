-- One row per given table: its name, its size in bytes with indexes and long texts, and its approximate
-- number of rows.
SELECT name, pg_total_relation_size(to_regclass(name)), pg_class.reltuples
  FROM unnest(%(tables)s::text[]) AS asked (name)
  JOIN pg_class ON pg_class.oid = to_regclass(name)
