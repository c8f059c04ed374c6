-- One row per part that the job's executors have written and committed: its chunk, its name, its rows.
SELECT chunk_no, part.key, part.value::bigint
  FROM job_chunk, jsonb_each_text(job_chunk.moved) AS part
 WHERE job_id = %(job_id)s
   AND starts_with(part.key, %(prefix)s)
 ORDER BY chunk_no
