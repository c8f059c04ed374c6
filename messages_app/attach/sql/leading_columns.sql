-- One row for each complete index of the hub, without a condition, that begins with a column of a given table: the table,
-- this column, and the index.
SELECT name, attname, min(index.relname::text)
  FROM unnest(%(schemas)s::text[], %(tables)s::text[]) AS asked (schema, name)
  JOIN pg_namespace ON nspname = schema
  JOIN pg_class AS base ON base.relnamespace = pg_namespace.oid AND base.relname = name
  JOIN pg_index ON indrelid = base.oid AND indisvalid AND indpred IS NULL
  JOIN pg_class AS index ON index.oid = indexrelid AND NOT starts_with(index.relname, %(prefix)s)
  JOIN pg_attribute ON attrelid = base.oid AND attnum = indkey[0]
 GROUP BY 1, 2
