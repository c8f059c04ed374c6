-- One row, the job's state, if the attempt gave its lease back, so that another may claim it at once.
UPDATE job
   SET lease_until = clock_timestamp(), error = %(error)s
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(live_states)s)
RETURNING state
