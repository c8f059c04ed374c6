-- One row per live table: how many of its rows the job has moved.
SELECT moved.key, sum(moved.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.moved) AS moved
 WHERE job_id = %(job_id)s
 GROUP BY moved.key
 ORDER BY moved.key
