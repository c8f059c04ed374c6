-- One row per job, content of its chunks and outcome: the number of planned rows with that outcome; and one
-- per job and content with outcome NULL: the number of planned rows.
SELECT job_id, content, NULL AS outcome, sum(planned)::bigint
  FROM job_chunk
 WHERE job_id = ANY (%(job_ids)s)
 GROUP BY job_id, content
UNION ALL
SELECT job_id, content, ended.key, sum(ended.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.outcomes) AS ended
 WHERE job_id = ANY (%(job_ids)s)
 GROUP BY job_id, content, ended.key
