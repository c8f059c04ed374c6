-- One row, the job's new state, if it was paused for one of these reasons; NULL: any. It is planned first if
-- it has no plan yet. The decision about its test batch (canary) is recorded, because the job continues. A
-- job that waits for a confirmation continues only with a number that is at most a tenth too small for its
-- set (engine/runner.py). Its report then has that number.
UPDATE job
   SET state = CASE WHEN chunk_count IS NULL THEN %(planning)s ELSE %(queued)s END,
       paused_for = '', paused_at = NULL, paced_until = NULL, error = '',
       resumed_attempt = attempt, heartbeat_at = clock_timestamp(),
       report = CASE WHEN paused_for = %(confirmation)s
                     THEN report || jsonb_build_object('confirmed', (%(confirmed)s)::bigint)
                     WHEN report ? 'canary'
                     THEN jsonb_set(report, '{canary,decided_at}',
                                    coalesce(nullif(report #> '{canary,decided_at}', 'null'),
                                             to_jsonb(clock_timestamp())))
                     ELSE report END
 WHERE job_id = %(job_id)s
   AND state = %(paused)s
   AND (%(paused_for)s::text[] IS NULL OR paused_for = ANY (%(paused_for)s))
   AND (paused_for <> %(confirmation)s
        OR coalesce((report ->> 'to_do')::numeric, 0) * 10 <= coalesce(%(confirmed)s::numeric, 0) * 11)
RETURNING state
