-- One row, the job's state, while the attempt holds the lease, also while the job is paused and its last
-- chunks end; otherwise none.
UPDATE job
   SET heartbeat_at = clock_timestamp(),
       lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND lease_until IS NOT NULL
   AND state = ANY (%(held_states)s)
RETURNING state
