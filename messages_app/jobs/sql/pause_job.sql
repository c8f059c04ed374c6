-- One row, the job's new state, if it could be paused.
UPDATE job
   SET state = %(paused)s, paused_for = %(paused_for)s, paused_at = clock_timestamp()
 WHERE job_id = %(job_id)s
   AND state = ANY (%(from_states)s)
RETURNING state
