-- One row, the job's new state, if the job is still in the state in which the stop was decided. The error has
-- the reason, and remains when the job has stopped. If its test batch (canary) is undecided, the decision is
-- recorded with it.
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
