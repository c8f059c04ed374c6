-- One row while `attempt` is the job's attempt and the job is in `state`. The lock blocks a take-over until
-- this transaction has ended. It does not block the heartbeat, which changes no key.
SELECT 1
  FROM job
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(state)s
   FOR KEY SHARE
