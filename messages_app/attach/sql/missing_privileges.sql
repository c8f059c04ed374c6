-- One row for each of the given privileges that this role lacks: its place in the arrays, from 0. Names are looked up in
-- the catalog, because to_regclass() and names in text need the privilege USAGE of the schema.
SELECT place - 1
  FROM unnest(%(schemas)s::text[], %(tables)s::text[], %(words)s::text[], %(columns)s::text[])
       WITH ORDINALITY AS asked (schema, name, word, columns, place)
  JOIN pg_namespace ON nspname = schema
  LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
 WHERE NOT CASE WHEN name = '' THEN has_schema_privilege(pg_namespace.oid, word)
                WHEN columns = '' THEN has_table_privilege(pg_class.oid, word)
                ELSE (SELECT bool_and(has_column_privilege(pg_class.oid, column_name, word))
                        FROM unnest(string_to_array(columns, ',')) AS column_name) END
 ORDER BY place
