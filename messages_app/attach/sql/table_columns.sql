-- One row for each column of the named relations in the named schemas: schema, relation, its kind, column, type, and
-- whether the column is the primary key. A schema without them has one row of NULLs.
SELECT nspname, relname, relkind::text, attname, typname, indexrelid IS NOT NULL
  FROM pg_namespace
  LEFT JOIN (
    pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    JOIN pg_type ON pg_type.oid = atttypid
    LEFT JOIN pg_index ON indrelid = pg_class.oid AND indisprimary AND indnatts = 1 AND indkey[0] = attnum
  ) ON relnamespace = pg_namespace.oid AND relname = ANY (%(relations)s)
 WHERE nspname = ANY (%(schemas)s)
 ORDER BY nspname, relname, attnum
