-- One row per privilege of a role on a whole table or view, or on the schema, whatever the source of the
-- privilege.
SELECT word, relname
  FROM pg_class
 CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS word
 WHERE relnamespace = current_schema::regnamespace
   AND relname = ANY (%(tables)s)
   AND has_table_privilege(%(role)s, oid, word)
 UNION ALL
SELECT 'CREATE TABLE in', current_schema
 WHERE has_schema_privilege(%(role)s, current_schema, 'CREATE')
