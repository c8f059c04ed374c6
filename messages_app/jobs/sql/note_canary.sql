-- One row, the reason why the job waits now, if it still waits for its test batch (canary). Records the
-- figures. After the time limit, in seconds since it was paused, the job waits for an operator instead.
UPDATE job
   SET report = report || %(report)s,
       paused_for = CASE WHEN paused_at + make_interval(secs => %(limit_s)s) < clock_timestamp()
                         THEN %(undecided)s ELSE paused_for END
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(paused)s
   AND paused_for = %(paused_for)s
RETURNING paused_for
