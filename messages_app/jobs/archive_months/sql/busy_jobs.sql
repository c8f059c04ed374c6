-- One row per job that may still move or read archived rows.
SELECT job_id
  FROM job
 WHERE kind = ANY (%(kinds)s)
   AND NOT dry_run
   AND finished_at IS NULL
 ORDER BY job_id
