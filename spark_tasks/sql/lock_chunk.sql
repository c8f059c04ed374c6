-- One row: the chunk, locked so that a second attempt waits and then sees which items are done.
SELECT content, planned,
       (SELECT coalesce(sum(value::bigint), 0)::bigint FROM jsonb_each_text(outcomes)) AS decided,
       orphan_ids, done_through, committed_at IS NOT NULL
  FROM job_chunk
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   FOR UPDATE
