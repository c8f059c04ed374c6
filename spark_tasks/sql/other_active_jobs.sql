-- One row per other job over the same store that may still do something to its rows: `rivals` has them by kind.
SELECT job_id
  FROM job
 WHERE job_id <> %(job_id)s
   AND NOT dry_run
   AND kind = ANY (SELECT jsonb_array_elements_text(%(rivals)s::jsonb -> (SELECT own.kind
                                                                     FROM job AS own
                                                                    WHERE own.job_id = %(job_id)s)))
   AND state = ANY (%(active_states)s)
