-- A table or view outside of the schema of the demo's hub, or NULL.
SELECT format('%%I.%%I', nspname, relname)
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
   AND nspname <> 'information_schema' AND nspname NOT LIKE 'pg\_%%'
   AND coalesce(obj_description(pg_namespace.oid, 'pg_namespace'), '') <> %(mark)s
 ORDER BY 1
 LIMIT 1
