-- Inserts counts, with their columns in this order.
COPY message_rollup (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
FROM STDIN
