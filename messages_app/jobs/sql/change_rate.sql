-- One row, the job's state, if it has not ended. Time slots reserved at the old rate are released.
UPDATE job
   SET rate = %(rate)s, paced_until = NULL
 WHERE job_id = %(job_id)s
   AND state = ANY (%(from_states)s)
RETURNING state
