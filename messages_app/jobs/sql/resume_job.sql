-- One row, the job's new state, if it was paused.
UPDATE job
   SET state = %(queued)s, paused_for = '', paced_until = NULL
 WHERE job_id = %(job_id)s
   AND state = ANY (%(from_states)s)
RETURNING state
