-- The newest jobs of an incident: jobs that were started for it, among the newest jobs of all, and jobs of its newest
-- messages since it began.
SELECT job_id
  FROM (SELECT job_id
          FROM (SELECT job_id, filter, dry_run
                  FROM job
                 ORDER BY job_id DESC
                 LIMIT %(newest)s) AS newest
         WHERE filter ->> 'incident' = (%(incident_id)s)::bigint::text
           AND NOT dry_run
         UNION
        SELECT item.job_id
          FROM unnest(%(msg_ids)s::bigint[]) AS asked (msg_id)
         CROSS JOIN LATERAL (SELECT job_item.job_id
                               FROM job_item
                              WHERE job_item.msg_id = asked.msg_id
                              ORDER BY job_item.job_id DESC
                              LIMIT %(jobs)s) AS item
          JOIN job USING (job_id)
         WHERE job.kind = ANY (%(kinds)s)
           AND NOT job.dry_run
           AND job.created_at >= %(began_at)s) AS own
 ORDER BY job_id DESC
 LIMIT %(most)s
