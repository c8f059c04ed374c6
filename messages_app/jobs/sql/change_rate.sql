-- One row, the job's state, if it has not ended. What was booked under the old rate is forgotten.
UPDATE job
   SET rate = %(rate)s, paced_until = NULL
 WHERE job_id = %(job_id)s
   AND state = ANY (%(from_states)s)
RETURNING state
