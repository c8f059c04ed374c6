-- One row for each given table of the hub: its name, the statement that creates its archive table with the types and the
-- order of its columns, as the archive scripts do, and its owner.
SELECT relname,
       format(E'CREATE TABLE %%I.%%I (\n  %%s\n)', %(place)s::text, %(prefix)s || relname,
              string_agg(format('%%I %%s%%s', attname, format_type(atttypid, atttypmod),
                                CASE WHEN attnotnull THEN ' NOT NULL' END),
                         E',\n  ' ORDER BY attnum)),
       pg_get_userbyid(relowner)
  FROM unnest(%(tables)s::text[]) WITH ORDINALITY AS asked (name, place)
  JOIN pg_namespace ON nspname = %(schema)s
  JOIN pg_class ON relnamespace = pg_namespace.oid AND relname = name
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
 WHERE attname <> ALL (%(without)s::text[])
 GROUP BY pg_class.oid, relname, relowner, asked.place
 ORDER BY asked.place
