-- One row for each index of the console on tables in these schemas: its name with the schema, and its name.
SELECT format('%%I.%%I', nspname, relname), relname
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relkind = 'i' AND nspname = ANY (%(schemas)s) AND starts_with(relname, 'hubc_')
 ORDER BY 1
