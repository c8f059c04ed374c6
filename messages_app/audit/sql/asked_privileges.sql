-- One row per requested privilege on an existing table or, if one is named, on its column: whether the role
-- has it.
SELECT word, relname, coalesce(attname, ''),
       CASE WHEN attnum IS NULL THEN has_table_privilege(%(role)s, pg_class.oid, word)
            ELSE has_column_privilege(%(role)s, pg_class.oid, attnum, word) END
  FROM unnest(%(words)s::text[], %(tables)s::text[], %(columns)s::text[]) AS asked (word, of_table, of_column)
  JOIN pg_class
    ON relname = of_table
   AND relnamespace = current_schema::regnamespace
  LEFT JOIN pg_attribute
    ON attrelid = pg_class.oid
   AND attname = of_column
   AND NOT attisdropped
 WHERE of_column = ''
    OR attnum IS NOT NULL
