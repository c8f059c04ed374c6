-- One row if the chunk is there.
SELECT 1
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
