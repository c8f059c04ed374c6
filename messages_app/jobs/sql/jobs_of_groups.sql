-- One row per failure group and job that has done any of the group's newest messages after they failed.
-- Messages and their jobs are looked up one by one, because for a join the planner might read whole tables.
SELECT newest.group_id, item.job_id
  FROM unnest(%(groups)s::bigint[]) AS asked (group_id)
 CROSS JOIN LATERAL (SELECT failure_member.group_id, failure_member.msg_id, failure_member.at
                       FROM failure_member
                      WHERE failure_member.group_id = asked.group_id
                      ORDER BY failure_member.msg_id DESC
                      LIMIT %(messages)s) AS newest
 CROSS JOIN LATERAL (SELECT job_item.job_id, job_item.chunk_no
                       FROM job_item
                      WHERE job_item.msg_id = newest.msg_id
                      ORDER BY job_item.job_id DESC
                      LIMIT %(jobs)s) AS item
  JOIN job ON job.job_id = item.job_id
          AND job.kind = ANY (%(kinds)s)
          AND job.watermark >= newest.at
 WHERE NOT EXISTS (SELECT
                     FROM job_refusal
                    WHERE job_refusal.job_id = item.job_id
                      AND job_refusal.msg_id = newest.msg_id)
   AND EXISTS (SELECT
                 FROM job_chunk
                WHERE job_chunk.job_id = item.job_id
                  AND job_chunk.chunk_no = item.chunk_no
                  AND (job_chunk.committed_at IS NOT NULL OR job_chunk.done_through >= newest.msg_id))
 GROUP BY newest.group_id, item.job_id
 ORDER BY newest.group_id, item.job_id DESC
