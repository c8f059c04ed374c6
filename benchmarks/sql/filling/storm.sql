-- One FAILED message per n of the last three hours: 40 services, 160 operations, 8 senders, 4 texts of 9 systems, 3 of which
-- have two texts. Half of the texts name the system.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_desc, failed_error_code, failed_count)
SELECT n * 10, 'corr-' || n, at, at, at, 'service-' || n %% 40, 'SENDER' || n %% 8, 'FAILED', 'call' || n %% 160, '<a/>',
       'E' || 100 + n %% 9 || ': '
       || (ARRAY['order ' || n || ' was refused by https://erp' || n %% 6 || '.example/orders/' || n,
                 'no answer within ' || n %% 900 || ' ms',
                 'connection to https://bank' || n %% 6 || '.example refused after ' || n %% 30 || ' s',
                 'connection reset by peer at ' || n])[1 + n %% 4]
       || repeat(E'\n\tat org.example.route.Route' || n %% 7 || '.call(Route.java:' || n %% 300 || ')', 20),
       'E' || 100 + n %% 9, 4
  FROM (SELECT n, now() - interval '3 hours' * (n / %(messages)s::float) AS at
          FROM generate_series(1, %(messages)s::bigint) AS n) AS dated
