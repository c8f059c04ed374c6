-- One row for each view and each function of triggers in the console's schema with times of another time zone, or those
-- of an earlier version: its name.
SELECT relname
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = %(schema)s AND relkind = 'v' AND relname = ANY (%(views)s)
   AND strpos(replace(pg_get_viewdef(pg_class.oid), %(time)s, ''), 'timezone(') > 0
 UNION ALL
SELECT proname
  FROM pg_proc
  JOIN pg_namespace ON pg_namespace.oid = pronamespace
 WHERE nspname = %(schema)s AND proname = ANY (%(functions)s)
   AND strpos(replace(prosrc, %(time)s, ''), 'timezone(') > 0
