-- One row changed: the chunk is done.
UPDATE job_chunk
   SET attempt = %(attempt)s, outcomes = %(outcomes)s, moved = %(moved)s, committed_at = clock_timestamp()
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   AND committed_at IS NULL
