-- One row per other job of the given kinds that may still change its rows.
SELECT job_id
  FROM job
 WHERE job_id <> %(job_id)s
   AND NOT dry_run
   AND kind = ANY (%(rivals)s)
   AND state = ANY (%(active_states)s)
