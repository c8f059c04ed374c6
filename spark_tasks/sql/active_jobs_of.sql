-- One row per job of the given kinds that may still change its rows.
SELECT job_id
  FROM job
 WHERE NOT dry_run
   AND kind = ANY (%(kinds)s)
   AND state = ANY (%(active_states)s)
