-- One row per job, of those given, whose file has its day still before it.
SELECT job_id
  FROM job
 WHERE job_id = ANY (%(job_ids)s)
   AND (report ->> 'expires_at')::timestamptz > now()
