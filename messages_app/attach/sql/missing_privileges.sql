-- One row for each of the given privileges that a role, or else this one, lacks: its place in the arrays, from 0. Names are looked up in
-- the catalog, because to_regclass() and names in text need the privilege USAGE of the schema.
SELECT place - 1
  FROM unnest(%(schemas)s::text[], %(tables)s::text[], %(words)s::text[], %(columns)s::text[])
       WITH ORDINALITY AS asked (schema, name, word, columns, place)
  JOIN coalesce(%(role)s::name, current_user) AS asking ON true
  JOIN pg_namespace ON nspname = schema
  LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
 WHERE NOT CASE WHEN name = '' THEN has_schema_privilege(asking, pg_namespace.oid, word)
                WHEN relkind = 'S' THEN has_sequence_privilege(asking, pg_class.oid, word)
                WHEN columns = '' THEN has_table_privilege(asking, pg_class.oid, word)
                ELSE (SELECT bool_and(has_column_privilege(asking, pg_class.oid, column_name, word))
                        FROM unnest(string_to_array(columns, ',')) AS column_name) END
 ORDER BY place
