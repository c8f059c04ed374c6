-- One row per live table: the number of its rows that the job has moved; and one for all rows that it wrote
-- to files, which its chunks name "file/...".
SELECT split_part(moved.key, '/', 1) AS name, sum(moved.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.moved) AS moved
 WHERE job_id = %(job_id)s
 GROUP BY name
 ORDER BY name
