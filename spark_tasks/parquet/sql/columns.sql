-- One row per column of the given tables, in the tables' own order, with the name of its type.
SELECT relname, attname, atttypid::regtype::text
  FROM pg_attribute
  JOIN pg_class ON pg_class.oid = attrelid
 WHERE attrelid = ANY (SELECT to_regclass(name) FROM unnest(%(tables)s::text[]) AS name)
   AND attnum > 0
   -- Columns that views of a hub have for the console. A table has none of these names.
   AND attname NOT IN ('xmin', 'ctid', 'hub_last_update')
   AND NOT attisdropped
   AND attgenerated = ''
 ORDER BY relname, attnum
