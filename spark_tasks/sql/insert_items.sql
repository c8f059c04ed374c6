-- One row per message of the chunk.
INSERT INTO job_item (job_id, msg_id, chunk_no, root_msg_id, old_state)
SELECT %(job_id)s, msg_id, %(chunk_no)s, root_msg_id, old_state
  FROM unnest(%(msg_ids)s::bigint[], %(root_ids)s::bigint[], %(states)s::text[])
       AS item (msg_id, root_msg_id, old_state)
