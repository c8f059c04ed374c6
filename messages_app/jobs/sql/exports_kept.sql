-- One row per given job whose file has not expired.
SELECT job_id
  FROM job
 WHERE job_id = ANY (%(job_ids)s)
   AND (report ->> 'expires_at')::timestamptz > now()
