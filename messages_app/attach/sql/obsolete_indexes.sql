-- One row for each index of the console on tables in these schemas whose creation was interrupted, or that has the times
-- of another time zone.
SELECT format('%%I.%%I', nspname, relname)
  FROM pg_index
  JOIN pg_class ON pg_class.oid = indexrelid
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = ANY (%(schemas)s)
   AND starts_with(relname, 'hubc_')
   AND (NOT indisvalid
        OR (strpos(pg_get_indexdef(indexrelid), 'timezone(') > 0
            AND strpos(pg_get_indexdef(indexrelid), format('timezone(%%L', %(zone)s::text)) = 0))
 ORDER BY 1
