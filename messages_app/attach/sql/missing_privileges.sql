-- One row for each of the given privileges that this role lacks: its place in the arrays, from 0.
SELECT place - 1
  FROM unnest(%(schemas)s::text[], %(tables)s::text[], %(words)s::text[], %(columns)s::text[])
       WITH ORDINALITY AS asked (schema, name, word, columns, place)
 WHERE NOT CASE WHEN columns = '' THEN has_table_privilege(format('%%I.%%I', schema, name), word)
                ELSE (SELECT bool_and(has_column_privilege(format('%%I.%%I', schema, name), column_name, word))
                        FROM unnest(string_to_array(columns, ',')) AS column_name) END
 ORDER BY place
