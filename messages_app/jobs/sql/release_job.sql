-- One row, the job's state, if the attempt released its lease, so that another attempt may claim the job
-- immediately.
UPDATE job
   SET lease_until = NULL, error = %(error)s
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND lease_until IS NOT NULL
   AND state = ANY (%(held_states)s)
RETURNING state
