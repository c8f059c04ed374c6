-- The number of messages by service, operation, source and state; only the newest if the range has more than the fence.
WITH counted AS (
  SELECT service_name, operation_name, source_system, state, receive_timestamp
    FROM message
   WHERE receive_timestamp BETWEEN %(start)s AND %(end)s
   ORDER BY receive_timestamp DESC, msg_id DESC
   LIMIT %(fence)s
)
SELECT service_name, operation_name, source_system, state, count(*), min(receive_timestamp)
  FROM counted
 GROUP BY service_name, operation_name, source_system, state
 ORDER BY service_name, operation_name, source_system, state
