-- One row per job that has waited this many hours for the decision of a second person. Served by
-- job_undecided_idx.
SELECT job_id
  FROM job
 WHERE state = %(waiting)s
   AND paused_for = %(paused_for)s
   AND paused_at < clock_timestamp() - make_interval(hours => %(hours)s)
