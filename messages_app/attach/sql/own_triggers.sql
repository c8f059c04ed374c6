-- One row for each trigger of the console on a table of the hub that is not disabled: its name.
SELECT tgname
  FROM pg_trigger
  JOIN pg_class ON pg_class.oid = tgrelid
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE nspname = %(schema)s AND starts_with(tgname, 'hubc_') AND tgenabled <> 'D'
 ORDER BY tgname
