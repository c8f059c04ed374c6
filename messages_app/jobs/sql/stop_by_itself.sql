-- One row, the job's new state, if it was still as it was when that was decided. The error says why, and
-- stays when the job has stopped; a canary that is not decided is decided with it.
UPDATE job
   SET state = %(stopping)s, paused_for = '', paused_at = NULL, error = %(error)s,
       report = %(report)s || CASE WHEN report ? 'canary'
                                   THEN jsonb_set(report, '{canary,decided_at}',
                                                  coalesce(nullif(report #> '{canary,decided_at}', 'null'),
                                                           to_jsonb(clock_timestamp())))
                                   ELSE report END
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(from_state)s
RETURNING state
