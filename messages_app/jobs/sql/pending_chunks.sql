-- One row per chunk that is not done, in the order of the plan.
SELECT chunk_no
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND committed_at IS NULL
 ORDER BY chunk_no
