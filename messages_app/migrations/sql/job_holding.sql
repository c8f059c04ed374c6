-- A job that has not ended has no `finished_at`. Only these kinds change messages of the hub: items of a reprocess job
-- are numbers of message_line.
CREATE FUNCTION job_holding(message_id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT item.job_id
    FROM job_item AS item
    JOIN job ON job.job_id = item.job_id
    JOIN job_chunk AS chunk ON chunk.job_id = item.job_id AND chunk.chunk_no = item.chunk_no
   WHERE item.msg_id = message_id
     AND job.finished_at IS NULL
     AND job.kind IN ('archive', 'cancel', 'restart', 'restore')
     AND chunk.committed_at IS NULL
     AND (chunk.done_through IS NULL OR item.msg_id > chunk.done_through)
     AND NOT EXISTS (SELECT
                       FROM job_refusal
                      WHERE job_refusal.job_id = item.job_id
                        AND job_refusal.msg_id = item.msg_id)
   LIMIT 1
$$;
COMMENT ON FUNCTION job_holding(bigint) IS
  'The active job that has the message and has not come to it yet; NULL: none has.';
