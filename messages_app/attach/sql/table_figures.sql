-- One row for each given table: its approximate number of rows, NULL if it is unknown, and its bytes.
SELECT schema, name, nullif(reltuples, -1)::bigint, pg_total_relation_size(pg_class.oid)
  FROM unnest(%(schemas)s::text[], %(tables)s::text[]) WITH ORDINALITY AS asked (schema, name, place)
  JOIN pg_namespace ON nspname = schema
  JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
 ORDER BY place
