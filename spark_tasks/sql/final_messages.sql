-- One row per final message whose age lies in [start, end), not newer than the frozen set's last id.
-- A message without last_process_timestamp ages from its receipt. Served by message_final_age_idx.
SELECT msg_id, state
  FROM message
 WHERE state = ANY (%(final_states)s)
   AND coalesce(last_process_timestamp, receive_timestamp) >= %(start)s
   AND coalesce(last_process_timestamp, receive_timestamp) < %(end)s
   AND msg_id <= %(last_msg_id)s
