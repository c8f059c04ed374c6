-- Copies of the orders with other ids, received now.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
                     operation_name, payload, failed_count)
SELECT 1000000 * %(number)s + msg_id, correlation_id || '-' || %(number)s, now(), now(), service_name, source_system,
       'OK', operation_name, replace(payload, '<b:ID>', '<b:ID>A' || %(number)s || '-'), 0
  FROM message
 WHERE msg_id <= 10 * %(messages)s
 ORDER BY msg_id
