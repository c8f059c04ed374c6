-- One row for each given table: its approximate number of rows, NULL if it is unknown, and its bytes.
SELECT schema, name, nullif(reltuples, -1)::bigint, pg_total_relation_size(pg_class.oid)
  FROM unnest(%(schemas)s::text[], %(tables)s::text[]) AS asked (schema, name)
  JOIN pg_class ON pg_class.oid = to_regclass(format('%%I.%%I', schema, name))
