-- One row per item of the chunk that is still open, in the order of ids.
SELECT msg_id, root_msg_id, old_state
  FROM job_item
 WHERE job_id = %(job_id)s
   AND chunk_no = %(chunk_no)s
   AND (CAST(%(done_through)s AS bigint) IS NULL OR msg_id > %(done_through)s)
   AND NOT EXISTS (SELECT
                     FROM job_refusal
                    WHERE job_refusal.job_id = job_item.job_id
                      AND job_refusal.msg_id = job_item.msg_id)
 ORDER BY msg_id
