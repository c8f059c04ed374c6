-- One row for each of the given tables whose view in the console's schema is not of the table in its schema. Names are
-- looked up in the catalog, because to_regclass() needs the privilege USAGE of the schema.
SELECT name
  FROM unnest(%(tables)s::text[], %(schemas)s::text[]) AS asked (name, schema)
  LEFT JOIN pg_namespace ON nspname = schema
  LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
 WHERE table_behind(format('hubconsole.%%I', name)) IS DISTINCT FROM pg_class.oid
 ORDER BY name
