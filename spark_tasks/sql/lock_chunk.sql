-- One row: the chunk, held so that a second try at it waits and then sees what is done.
SELECT content, planned,
       (SELECT coalesce(sum(value::bigint), 0)::bigint FROM jsonb_each_text(outcomes)) AS decided,
       orphan_ids, done_through, committed_at IS NOT NULL
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   FOR UPDATE
