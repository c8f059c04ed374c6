-- The tables that the role may analyze, quoted. On an attached hub these are the tables behind views, and those of
-- another owner are left to autovacuum: ANALYZE would only write a warning into the log of the hub's server.
SELECT pg_class.oid::regclass::text
  FROM unnest(%(tables)s::text[]) AS asked (name)
  JOIN pg_class ON pg_class.oid = table_behind(name)
 WHERE pg_has_role(relowner, 'USAGE')
 ORDER BY 1
