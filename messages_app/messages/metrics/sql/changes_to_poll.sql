-- The ids of messages by the time of their last change, with the name of the reading and the time: changes after the last
-- known one, the last ones before it, and changes of transactions that may have committed late.
(SELECT 'changed', msg_id, last_process_timestamp FROM message
  WHERE (last_process_timestamp, msg_id) > (%(changed_at)s, %(changed_id)s)
  ORDER BY last_process_timestamp, msg_id LIMIT %(most)s)
UNION ALL
(SELECT 'lately', msg_id, last_process_timestamp FROM message
  WHERE last_process_timestamp <= %(changed_at)s
  ORDER BY last_process_timestamp DESC, msg_id DESC LIMIT %(recent)s)
UNION ALL
(SELECT 'late', msg_id, last_process_timestamp FROM message
  WHERE last_process_timestamp > %(changed_safe)s AND last_process_timestamp <= %(changed_until)s
  ORDER BY last_process_timestamp, msg_id LIMIT %(most)s)
