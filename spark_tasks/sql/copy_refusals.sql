-- One row per message of the set that is not done.
COPY job_refusal (job_id, msg_id, root_msg_id, old_state, outcome) FROM STDIN
