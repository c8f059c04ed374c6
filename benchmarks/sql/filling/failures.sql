-- One FAILED message per n, each with a text of its own and a stack trace: of 40 kinds, in 10 services.
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, last_process_timestamp, service_name,
                     source_system, state, operation_name, payload, failed_desc, failed_error_code, failed_count)
SELECT n * 10, 'corr-' || n, at, at, at, 'service-' || n %% 10, 'CRM', 'FAILED', 'call' || n %% 4, '<a/>',
       'E' || 100 + n %% 9 || ': '
       || (ARRAY['order ' || n || ' was refused by https://erp.example/orders/' || n,
                 'no answer within ' || n %% 900 || ' ms from 10.0.' || n %% 200 || '.7:8080',
                 'account "A-' || n || '" is locked since 2026-11-' || 10 + n %% 19 || 'T10:00:00Z',
                 'document ' || md5(n::text) || ' is not known'])[1 + n %% 4]
       || repeat(E'\n\tat org.example.route.Route' || n %% 7 || '.call(Route.java:' || n %% 300 || ')', 20),
       'E' || 100 + n %% 9, 4
  FROM (SELECT n, now() - interval '30 days' * (n / %(messages)s::float) AS at
          FROM generate_series(1, %(messages)s::bigint) AS n) AS dated
