-- The counts of a day of traffic: two messages a minute of each service and sender.
INSERT INTO message_rollup (minute, state, service_name, operation_name, source_system, failed_error_code, present, entered)
SELECT date_trunc('minute', now()) - make_interval(mins => n), 'OK', 'service-' || service, 'call' || service,
       'SENDER' || sender, '', 2, 2
  FROM generate_series(0, 1439) AS n
 CROSS JOIN generate_series(0, 39) AS service
 CROSS JOIN generate_series(0, 7) AS sender
 WHERE sender %% 8 = service %% 8 OR sender = 0
