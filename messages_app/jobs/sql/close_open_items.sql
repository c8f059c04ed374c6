-- One row for each item that was still open when the job ended early: each is refused, with the reason.
INSERT INTO job_refusal (job_id, msg_id, root_msg_id, old_state, outcome)
SELECT item.job_id, item.msg_id, item.root_msg_id, item.old_state, %(outcome)s
  FROM job_chunk AS chunk
  JOIN job_item AS item ON item.job_id = chunk.job_id AND item.chunk_no = chunk.chunk_no
 WHERE chunk.job_id = %(job_id)s
   AND chunk.committed_at IS NULL
   AND (chunk.done_through IS NULL OR item.msg_id > chunk.done_through)
ON CONFLICT (job_id, msg_id) DO NOTHING
