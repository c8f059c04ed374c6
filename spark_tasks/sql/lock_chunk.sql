-- One row: the chunk, held so that a second try at it waits and then sees that it is done.
SELECT content, orphan_ids, committed_at IS NOT NULL
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   FOR UPDATE
