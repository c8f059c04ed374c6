-- One row, the job's new state, if it waits for a second person and this person did not create it. Earlier
-- failed attempts no longer count, as after a resume.
UPDATE job
   SET state = %(queued)s, paused_for = '', paused_at = NULL, resumed_attempt = attempt,
       heartbeat_at = clock_timestamp(),
       report = report || jsonb_build_object('approved_by', %(person)s::text, 'approved_at', clock_timestamp())
 WHERE job_id = %(job_id)s
   AND state = %(waiting)s
   AND paused_for = %(paused_for)s
   AND CASE WHEN creator_id IS NULL THEN created_by <> %(person)s
            ELSE creator_id IS DISTINCT FROM %(person_id)s END
RETURNING state
