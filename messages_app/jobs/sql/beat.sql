-- One row, the job's state, while the attempt is still the job's; else none.
UPDATE job
   SET heartbeat_at = clock_timestamp(),
       lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(live_states)s)
RETURNING state
