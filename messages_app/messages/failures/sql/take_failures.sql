-- Removes and returns the oldest failures that are not in a group yet. Failures that are committed later are taken by
-- the next call.
DELETE FROM new_failure
 WHERE failure_id IN (SELECT failure_id FROM new_failure ORDER BY failure_id LIMIT %(most)s)
RETURNING msg_id, at, service_name, operation_name, failed_error_code, text
