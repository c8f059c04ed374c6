-- The totals of the new counts.
INSERT INTO message_total (state, service_name, operation_name, source_system, failed_error_code, present)
SELECT state, service_name, operation_name, source_system, failed_error_code, sum(present)
  FROM message_rollup
 GROUP BY state, service_name, operation_name, source_system, failed_error_code
HAVING sum(present) <> 0
