-- One row per thing that a role may do with all of a table or view, or with the schema, from wherever it has that right.
SELECT word, relname
  FROM pg_class
 CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS word
 WHERE relnamespace = current_schema::regnamespace
   AND relname = ANY (%(tables)s)
   AND has_table_privilege(%(role)s, oid, word)
 UNION ALL
SELECT 'CREATE TABLE in', current_schema
 WHERE has_schema_privilege(%(role)s, current_schema, 'CREATE')
