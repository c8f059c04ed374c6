-- Messages of two years with tiny payloads, in the order of their ids.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_count)
SELECT n * 10, 'c' || n, at, at, at, 'service-0', 'SYS', 'OK', 'order', '<x/>', 0
  FROM (SELECT n, now() - interval '730 days' * (1 - n / %(messages)s::float) AS at
          FROM generate_series(1, %(messages)s::bigint) AS n) AS dated
