-- One row: the time until which the job may be undone, NULL before it has ended; and whether that time is
-- over.
SELECT finished_at + make_interval(hours => %(hours)s),
       finished_at + make_interval(hours => %(hours)s) < clock_timestamp()
  FROM job
 WHERE job_id = %(job_id)s
