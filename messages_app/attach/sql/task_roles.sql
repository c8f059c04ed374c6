-- One row for each other role that runs tasks of Spark: it may store chunks of jobs.
SELECT rolname
  FROM pg_class
 CROSS JOIN aclexplode(relacl)
  JOIN pg_roles ON pg_roles.oid = grantee
 WHERE pg_class.oid = to_regclass('job_chunk') AND privilege_type = 'INSERT' AND grantee <> relowner
 ORDER BY rolname
