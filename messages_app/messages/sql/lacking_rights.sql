-- One row per privilege on a hub's table, which the owner of the console's views lacks: the statement that grants it. If
-- `by_tasks`, also for other roles that run tasks of Spark, which may store chunks of jobs; if `by_caller`, also for this
-- role; all of these only store messages in the table itself, and do the rest by views. Tables of the console's own need none.
WITH task_role AS (
  SELECT grantee
    FROM pg_class
   CROSS JOIN aclexplode(relacl)
   WHERE %(by_tasks)s AND pg_class.oid = to_regclass('job_chunk')
     AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner)
)
SELECT format('GRANT %%s%%s ON %%s.%%I TO %%I', word, ' (' || nullif(locked_by, '') || ')', quote_ident(nspname),
              behind.relname, pg_get_userbyid(role))
  FROM unnest(%(tables)s::text[], %(words)s::text[], %(columns)s::text[])
       WITH ORDINALITY AS needed (name, word, locked_by, place)
  JOIN pg_class AS view ON view.oid = to_regclass(name)
  JOIN pg_class AS behind ON behind.oid = table_behind(name) AND behind.oid <> view.oid
  JOIN pg_namespace ON pg_namespace.oid = behind.relnamespace
 CROSS JOIN LATERAL (SELECT view.relowner UNION SELECT grantee FROM task_role
                     UNION SELECT oid FROM pg_roles WHERE %(by_caller)s AND rolname = current_user) AS asked (role)
 WHERE (role = view.relowner OR NOT %(by_caller)s OR (name, word) = ('message', 'INSERT'))
   AND NOT CASE WHEN locked_by = '' THEN has_table_privilege(role, behind.oid, word)
                ELSE has_column_privilege(role, behind.oid, locked_by, word) END
 ORDER BY role = view.relowner DESC, place
