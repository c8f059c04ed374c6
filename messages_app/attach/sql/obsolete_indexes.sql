-- One row for each index of the console on tables in these schemas whose creation was interrupted, or that has times of
-- another time zone, or those of an earlier version, which fails the hub's statement at the ends of time.
SELECT format('%%I.%%I', nspname, relname)
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = ANY (%(schemas)s)
   AND starts_with(relname, 'hubc_')
   AND (NOT indisvalid OR strpos(replace(pg_get_indexdef(indexrelid), %(time)s, ''), 'timezone(') > 0)
 ORDER BY 1
