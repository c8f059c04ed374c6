-- One row per other job that may still do something to its messages.
SELECT job_id
  FROM job
 WHERE job_id <> %(job_id)s
   AND NOT dry_run
   AND kind <> ALL (%(harmless_kinds)s)
   AND state = ANY (%(active_states)s)
