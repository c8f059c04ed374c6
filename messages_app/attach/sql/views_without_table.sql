-- One row for each of the given tables whose view in the console's schema is not of the table in its schema.
SELECT name
  FROM unnest(%(tables)s::text[], %(schemas)s::text[]) AS asked (name, schema)
 WHERE table_behind(format('hubconsole.%%I', name)) IS DISTINCT FROM to_regclass(format('%%I.%%I', schema, name))
 ORDER BY name
