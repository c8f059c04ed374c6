-- One row, the job under its new attempt, if it is live and no one has a valid lease on it; otherwise none. Kinds of a
-- newer version are left to its workers.
-- Waits for chunks of the old attempt that are being committed, because they lock the row (fence.sql).
UPDATE job
   SET attempt = job.attempt + 1,
       heartbeat_at = clock_timestamp(),
       lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s),
       started_at = coalesce(started_at, clock_timestamp()),
       step = ''
  FROM (SELECT job_id
          FROM job
         WHERE job_id = %(job_id)s
           AND state = ANY (%(live_states)s)
           AND kind = ANY (%(kinds)s)
           AND (lease_until IS NULL OR lease_until < clock_timestamp())
           FOR UPDATE) AS free
 WHERE job.job_id = free.job_id
RETURNING job.attempt, job.state
