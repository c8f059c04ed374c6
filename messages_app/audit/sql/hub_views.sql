-- One row for each of the given tables that is a view of a table of an attached hub: its name.
SELECT relname
  FROM pg_class
 WHERE relnamespace = current_schema::regnamespace AND relkind = 'v' AND relname = ANY (%(tables)s)
   AND table_behind(relname) <> pg_class.oid
