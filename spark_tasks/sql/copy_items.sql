-- One row per message of the chunk.
COPY job_item (job_id, msg_id, chunk_no, root_msg_id, old_state) FROM STDIN
