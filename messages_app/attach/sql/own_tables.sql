-- One row for each archive table in these schemas that the console has created: its name with the schema, and whether
-- this role may read it.
SELECT format('%%I.%%I', nspname, relname), has_table_privilege(pg_class.oid, 'SELECT')
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relkind = 'r' AND nspname = ANY (%(schemas)s) AND obj_description(pg_class.oid, 'pg_class') = %(mark)s
 ORDER BY nspname, relname
