-- One row per column of the given tables, as the search path finds them, with the name of its type.
SELECT name, attname, atttypid::regtype::text
  FROM unnest(%(tables)s::text[]) AS name
  JOIN pg_attribute ON attrelid = to_regclass(name)
 WHERE attnum > 0
   -- Columns that views of a hub have for the console. A table has none of these names.
   AND attname NOT IN ('xmin', 'ctid', 'hub_last_update')
   AND NOT attisdropped
 ORDER BY name, attnum
