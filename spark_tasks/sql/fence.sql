-- One row while `attempt` is the job's attempt and the job is in `state`. The lock holds a take-over up
-- until this transaction has ended; the heartbeat, which changes no key, passes it.
SELECT 1
  FROM job
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(state)s
   FOR KEY SHARE
