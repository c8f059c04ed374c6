-- One row per content of the job's chunks and outcome: how many rows of the plan ended so; and one per
-- content with outcome NULL: how many were planned.
SELECT content, NULL AS outcome, sum(planned)::bigint
  FROM job_chunk
 WHERE job_id = %(job_id)s
 GROUP BY content
UNION ALL
SELECT content, ended.key, sum(ended.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.outcomes) AS ended
 WHERE job_id = %(job_id)s
 GROUP BY content, ended.key
