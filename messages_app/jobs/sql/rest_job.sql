-- One row if the attempt paused the job and released its lease; none if the attempt no longer has the job, or
-- the job is in another state.
UPDATE job
   SET state = %(at_rest)s, paused_for = %(paused_for)s, paused_at = clock_timestamp(),
       report = report || %(report)s,
       error = %(error)s,
       lease_until = NULL
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(from_states)s)
RETURNING job_id
