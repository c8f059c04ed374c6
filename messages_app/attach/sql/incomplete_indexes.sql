-- One row for each index of the console on tables in these schemas whose creation was interrupted.
SELECT format('%%I.%%I', nspname, relname)
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE NOT indisvalid AND nspname = ANY (%(schemas)s) AND starts_with(relname, 'hubc_')
 ORDER BY 1
