-- One row per chunk of the job in which messages were moved.
SELECT chunk_no
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND outcomes ? 'done'
 ORDER BY chunk_no
