-- The oldest failures that are in no group yet, taken away. One that commits late is there for the next pass.
DELETE FROM new_failure
 WHERE failure_id IN (SELECT failure_id FROM new_failure ORDER BY failure_id LIMIT %(most)s)
RETURNING msg_id, at, service_name, operation_name, failed_error_code, text
