-- A message of each state of CleverBus, with its external call, request and response; a parent with two children; a
-- request without a message, as of a synchronous call; a response without a request.
INSERT INTO message (msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service, source_system, state,
                     start_process_timestamp, object_id, entity_type, operation_name, payload, envelope, failed_desc,
                     failed_error_code, failed_count, last_update_timestamp, parent_msg_id, funnel_value,
                     parent_binding_type, guaranteed_order, funnel_component_id)
SELECT id, 'correlation-' || id, 'process-' || id, received - interval '1 second', received, 'CUSTOMER', 'CRM', state,
       received + interval '2 seconds', 'object-' || id, 'ACCOUNT', 'setCustomer', '<customer id="' || id || '"/>',
       CASE WHEN parent IS NULL THEN '<envelope/>' END,
       CASE WHEN state LIKE '%FAILED' THEN 'java.net.ConnectException: Connection refused' END,
       CASE WHEN state LIKE '%FAILED' THEN 'E106' END, failures, received + interval '1 minute', parent,
       'value-' || id % 3, CASE WHEN parent IS NOT NULL THEN 'HARD' END, state = 'POSTPONED', 'component-1'
  FROM (VALUES (1, 'PROCESSING', 0, NULL), (2, 'OK', 0, NULL), (3, 'PARTLY_FAILED', 1, NULL), (4, 'FAILED', 4, NULL),
               (5, 'CANCEL', 1, NULL), (6, 'WAITING_FOR_RES', 0, NULL), (7, 'WAITING', 0, NULL),
               (8, 'POSTPONED', 0, NULL), (9, 'OK', 0, 7), (10, 'PARTLY_FAILED', 2, 7))
         AS message (id, state, failures, parent),
       LATERAL (SELECT timestamp '2024-07-01 12:00' + make_interval(hours => id)) AS time (received);

INSERT INTO external_call (call_id, creation_timestamp, entity_id, failed_count, last_update_timestamp, msg_timestamp,
                           msg_id, operation_name, state)
SELECT 100 + msg_id, receive_timestamp, correlation_id, 0, last_update_timestamp, msg_timestamp, msg_id,
       'direct:setCustomer', (ARRAY['PROCESSING', 'OK', 'FAILED', 'FAILED_END'])[1 + msg_id % 4]
  FROM message;

INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT 200 + msg_id, msg_id, 'join-' || msg_id, 'spring-ws:http://crm.example/ws', '<request/>', start_process_timestamp
  FROM message
UNION ALL
SELECT 299, NULL, 'join-299', 'servlet:///sync', '<request/>', '2024-07-01 12:00';

INSERT INTO response (res_id, req_id, res_envelope, failed_reason, res_timestamp, failed, msg_id)
SELECT 100 + req_id, req_id, CASE WHEN msg_id % 4 > 0 THEN '<response/>' END,
       CASE WHEN msg_id % 4 = 0 THEN 'Connection refused' END, req_timestamp + interval '1 second', msg_id % 4 = 0, msg_id
  FROM request
 WHERE msg_id IS NOT NULL
UNION ALL
SELECT 399, NULL, '<response/>', NULL, '2024-07-01 12:05', false, 6;
