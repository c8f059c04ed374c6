-- The failures wait for their groups, as the triggers store them; failures have been counted for a day.
WITH pass AS (
  INSERT INTO incident_pass (id, counted, gathered, started_at)
  VALUES (1, 0, 0, now() - interval '1 day')
)
INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
SELECT msg_id, last_process_timestamp, service_name, operation_name, failed_error_code, failure_excerpt(failed_desc)
  FROM message
 WHERE state = 'FAILED'
 ORDER BY last_process_timestamp
