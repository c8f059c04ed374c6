-- One row, the job's new state, if it waits for a second person and this person did not create it. The error
-- names who refused it, and remains when the job has stopped.
UPDATE job
   SET state = %(stopping)s, paused_for = '', paused_at = NULL, error = %(error)s
 WHERE job_id = %(job_id)s
   AND state = %(waiting)s
   AND paused_for = %(paused_for)s
   AND CASE WHEN creator_id IS NULL THEN created_by <> %(person)s
            ELSE creator_id IS DISTINCT FROM %(person_id)s END
RETURNING state
