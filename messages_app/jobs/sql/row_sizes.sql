-- One row per table whose approximate number of rows is known: the bytes of a row, with indexes and large
-- values.
SELECT name, pg_total_relation_size(pg_class.oid)::float8 / reltuples
  FROM unnest(%(tables)s::text[]) AS asked (name)
  JOIN pg_class ON pg_class.oid = table_behind(name)
 WHERE reltuples > 0
