-- One row per table whose approximate number of rows is known: the bytes of a row, with indexes and large
-- values.
SELECT relname, pg_total_relation_size(oid)::float8 / reltuples
  FROM pg_class
 WHERE oid = ANY (SELECT to_regclass(name) FROM unnest(%(tables)s::text[]) AS name)
   AND reltuples > 0
