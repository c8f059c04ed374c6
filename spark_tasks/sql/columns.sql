-- One row per column of the given tables, as the search path finds them.
SELECT relname, attname
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid
 WHERE attrelid = ANY (SELECT to_regclass(name) FROM unnest(%(tables)s::text[]) AS name)
   AND attnum > 0
   -- Columns that views of a hub have for the console. A table has none of these names.
   AND attname NOT IN ('xmin', 'ctid', 'hub_last_update')
   AND NOT attisdropped
 ORDER BY relname, attnum
