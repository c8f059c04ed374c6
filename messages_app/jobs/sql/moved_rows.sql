-- One row per live table: how many of its rows the job has moved; and one of all that it wrote to files, which its
-- chunks name "file/...".
SELECT split_part(moved.key, '/', 1) AS name, sum(moved.value::bigint)::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.moved) AS moved
 WHERE job_id = %(job_id)s
 GROUP BY name
 ORDER BY name
