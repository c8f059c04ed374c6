-- One row per job for which no second person has decided in so many hours. Served by job_undecided_idx.
SELECT job_id
  FROM job
 WHERE state = %(waiting)s
   AND paused_for = %(paused_for)s
   AND paused_at < clock_timestamp() - make_interval(hours => %(hours)s)
