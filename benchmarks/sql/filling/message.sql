-- One row per message; n counts them, oldest first. Every fiftieth has three children, the middle one
-- five thousand.
INSERT INTO message (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name,
                     source_system, state, start_process_timestamp, object_id, entity_type, operation_name,
                     payload, failed_desc, failed_error_code, failed_count, last_process_timestamp,
                     parent_msg_id, parent_binding_type, funnel_value, guaranteed_order, funnel_component_id)
SELECT n * %(ids)s::bigint, 'corr-' || n, 'proc-' || n / 3, at - interval '2 s', at, service,
       (ARRAY['CRM','ERP','WEB','POS','SAP','EDI','MES','APP'])[1 + n %% 8], state,
       at + interval '100 ms', 'obj-' || n %% greatest(1, %(messages)s / 5),
       (ARRAY['ACCOUNT','ORDER',NULL])[1 + n %% 3], service || 'Op' || n %% 5,
       '<order xmlns="urn:bench"><id>' || n || '</id><customer>C' || n %% 1000 || '</customer></order>',
       CASE WHEN failed_count > 0
            THEN error || ': the target refused order ' || n || E'\nat org.example.Route.call(Route.java:7)' END,
       CASE WHEN failed_count > 0 THEN error END, failed_count,
       CASE WHEN n %% 200 <> 0 THEN at + interval '3 s' END,
       parent, CASE WHEN parent IS NULL THEN NULL WHEN n %% 7 = 0 THEN 'SOFT' ELSE 'HARD' END,
       CASE WHEN n %% 40 = 0 THEN 'old-' || n %% 1000 END,
       n %% 100 < 2,
       CASE WHEN n %% 20 = 0 THEN 'funnel_' || n %% 4 END
  FROM (SELECT n, at, service, state,
               CASE WHEN n > %(messages)s / 2 AND n <= %(messages)s / 2 + 5000
                    THEN %(messages)s / 2 * %(ids)s::bigint
                    WHEN n > 50 AND n %% 50 BETWEEN 1 AND 3 THEN (n - n %% 50) * %(ids)s::bigint END AS parent,
               'E' || 100 + n %% 9 AS error,
               CASE WHEN state = 'FAILED' THEN 4 WHEN state = 'PARTLY_FAILED' THEN 1 + n %% 3
                    WHEN n %% 90 = 5 THEN 1 ELSE 0 END AS failed_count
          FROM (SELECT n, now() - make_interval(days => %(days)s) * (1 - n / %(messages)s::float) AS at,
                       CASE WHEN n < %(messages)s / 20 AND n %% 2 = 0 THEN 'legacy'
                            ELSE (ARRAY['billing','orders','crm','stock','payment','meter','invoice',
                                        'shipping','notify','tariff'])[1 + n %% 10] END AS service,
                       CASE WHEN n > %(messages)s * 0.999
                            THEN (ARRAY['POSTPONED','OK','PARTLY_FAILED','OK','PROCESSING','OK','OK',
                                        'WAITING_FOR_RES','OK','POSTPONED'])[1 + n %% 10]
                            WHEN n BETWEEN %(messages)s * 0.90 AND %(messages)s * 0.92 AND n %% 10 < 3
                              OR n %% 1000 = 7 THEN 'FAILED'
                            WHEN n %% 1000 = 11 THEN 'CANCEL'
                            WHEN n %% 5000 = 13 THEN 'WAITING'
                            WHEN n %% 20000 = 17 THEN 'WAITING_FOR_RES'
                            ELSE 'OK' END AS state
                  FROM generate_series(1, %(messages)s::bigint) AS n) AS placed) AS counted
