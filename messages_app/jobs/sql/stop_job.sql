-- One row, the job's new state, if it could still be stopped. A job that no worker has started stops
-- immediately.
UPDATE job
   SET state = CASE WHEN attempt = 0 THEN %(stopped)s ELSE %(stopping)s END,
       finished_at = CASE WHEN attempt = 0 THEN clock_timestamp() END,
       paused_for = '', paused_at = NULL, error = ''
 WHERE job_id = %(job_id)s
   AND state = ANY (%(from_states)s)
RETURNING state
