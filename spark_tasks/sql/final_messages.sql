-- One row per final message whose age is in [start, end), not newer than the frozen set's last id. The age of
-- a message without last_process_timestamp counts from its receipt. Served by message_final_age_idx.
SELECT msg_id, state, parent_msg_id
  FROM message
 WHERE state = ANY (%(final_states)s)
   AND coalesce(last_process_timestamp, receive_timestamp) >= %(start)s
   AND coalesce(last_process_timestamp, receive_timestamp) < %(end)s
   AND msg_id <= %(last_msg_id)s
