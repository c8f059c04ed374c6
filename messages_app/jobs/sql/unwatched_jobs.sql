-- One row per live job that no worker has: never claimed, or with an expired lease. Served by job_live_idx.
SELECT job_id, attempt
  FROM job
 WHERE state = ANY (%(live_states)s)
   AND (lease_until IS NULL OR lease_until < clock_timestamp())
 ORDER BY job_id
