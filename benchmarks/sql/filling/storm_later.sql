-- Failures of the storm that come now.
INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
SELECT n * 10 + 1, now(), 'service-' || n %% 40, 'call' || n %% 160, 'E' || 100 + n %% 9, 'connection reset by peer at ' || n
  FROM generate_series(%(messages)s::bigint + 1, %(messages)s::bigint + %(later)s) AS n
