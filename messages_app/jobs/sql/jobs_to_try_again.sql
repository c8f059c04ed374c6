-- One row per job that met a full disk and has waited long enough to try again. Served by job_paused_idx.
SELECT job_id
  FROM job
 WHERE state = %(paused)s
   AND paused_for = %(paused_for)s
   AND paused_at + make_interval(secs => %(wait_s)s) < clock_timestamp()
