-- One row while the job is in this state under this attempt: its rate.
SELECT rate
  FROM job
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(state)s
