-- One row if the attempt gave its lease back, so that the next sweep hands the job on at once.
UPDATE job
   SET lease_until = clock_timestamp(), error = %(error)s
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(live_states)s)
RETURNING job_id
