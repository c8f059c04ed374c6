-- As job_holding.sql, with the jobs that correct and resend messages.
CREATE OR REPLACE FUNCTION job_holding(message_id bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT item.job_id
    FROM job_item AS item
    JOIN job ON job.job_id = item.job_id
    JOIN job_chunk AS chunk ON chunk.job_id = item.job_id AND chunk.chunk_no = item.chunk_no
   WHERE item.msg_id = message_id
     AND job.finished_at IS NULL
     AND job.kind IN ('archive', 'cancel', 'resend', 'restart', 'restore')
     AND chunk.committed_at IS NULL
     AND (chunk.done_through IS NULL OR item.msg_id > chunk.done_through)
     AND NOT EXISTS (SELECT
                       FROM job_refusal
                      WHERE job_refusal.job_id = item.job_id
                        AND job_refusal.msg_id = item.msg_id)
   LIMIT 1
$$;
