-- One row for each schema that has a table `message` like that of a hub. The console's own has `service_name`.
SELECT nspname
  FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relname = 'message' AND relkind IN ('r', 'p')
   AND nspname <> 'information_schema' AND nspname !~ '^pg_'
   AND (
     SELECT bool_or(attname = 'msg_id') AND bool_or(attname = 'correlation_id')
            AND NOT bool_or(attname = 'service_name')
       FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
   )
 ORDER BY nspname
