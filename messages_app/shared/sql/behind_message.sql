-- One row: the table of an attached hub behind the view of messages, quoted, with its schema; none for the console's own.
SELECT format('%%I.%%I', nspname, relname)
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE pg_class.oid = table_behind('message')
   AND pg_class.oid <> to_regclass('message')
