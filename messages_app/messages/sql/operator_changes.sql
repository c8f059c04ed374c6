-- The changes of a message's state by operators, alone or by a job, newest first, each with the time between which the
-- change was written. Jobs of other stores use the same numbers for other rows, so their kinds are excluded.
WITH single AS (
  SELECT action, actor, reason, after_state AS state, NULL::bigint AS job_id, entry_id,
         coalesce((details ->> 'total')::boolean, false) AS total,
         at - interval '1 minute' AS since, at AS until
    FROM audit_entry
   WHERE msg_id = %(msg_id)s
     AND outcome = 'done'
     AND after_state <> ''
   ORDER BY entry_id DESC
   LIMIT %(most)s
), own_jobs AS (
  SELECT job_id
    FROM job_item
   WHERE msg_id = %(msg_id)s
   ORDER BY job_id DESC
   LIMIT %(most)s
)
SELECT * FROM single
UNION ALL
SELECT job.kind, job.created_by, job.reason, ledger.new_state, job.job_id, NULL,
       coalesce((job.options ->> 'total')::boolean, false),
       job.created_at, coalesce(job.finished_at, clock_timestamp())
  FROM own_jobs
  JOIN job ON job.job_id = own_jobs.job_id AND job.kind = ANY (%(actions)s)
 CROSS JOIN LATERAL (SELECT job_ledger.new_state
                       FROM job_ledger
                      WHERE job_ledger.job_id = own_jobs.job_id
                        AND job_ledger.msg_id = %(msg_id)s
                        AND job_ledger.outcome = 'done'
                        AND job_ledger.new_state IS NOT NULL
                      LIMIT 1) AS ledger
 ORDER BY since DESC
