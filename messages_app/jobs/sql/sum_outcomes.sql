-- One row per job, content of its chunks and outcome: how many rows of the plan ended so; and one per job and
-- content with outcome NULL: how many were planned.
SELECT job_id, content, NULL AS outcome, sum(planned)::bigint
  FROM job_chunk
 WHERE job_id = ANY (%(job_ids)s)
 GROUP BY job_id, content
UNION ALL
SELECT job_id, content, ended.key, sum(ended.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.outcomes) AS ended
 WHERE job_id = ANY (%(job_ids)s)
 GROUP BY job_id, content, ended.key
