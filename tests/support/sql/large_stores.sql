-- Large tables of all stores but the hub's, with one subject in them.
INSERT INTO document_history (trigger_id, document_uuid, status, time)
SELECT 't-' || mod(n, 5), 'u-' || n, 'completed', now() - n * interval '1 second' FROM generate_series(1, 20000) AS n;
INSERT INTO document_outcome (trigger_id, document_name, identifier, status, decided_by, rule, message,
                              redelivery_count)
SELECT 't-' || mod(n, 5), '', 'u-' || n, 'DUPLICATE', 'history', 'x', '', 0 FROM generate_series(1, 20000) AS n;
INSERT INTO document_in_doubt (trigger_id, document_uuid, identifier, document_name, rule, message, state,
                               redelivery_count, deliveries, resolved_by, reason, taken_by)
SELECT 't-' || mod(n, 5), 'u-' || n, 'u-' || n, '', 'x', '', 'settled', 0, 1, '', '', ''
  FROM generate_series(1, 20000) AS n;
INSERT INTO document_content (trigger_id, document_uuid, sha256, time)
SELECT trigger_id, document_uuid, '', time FROM document_history;
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
SELECT upper(md5(n::text)), 'Q' || mod(n, 5), n, 65536, now() FROM generate_series(1, 20000) AS n;
INSERT INTO cp_dispatch (messageguid, queuename, osid, ostype, created, service, reason, outcome, collapsed,
                         attempts, actor)
SELECT upper(md5(n::text)), 'Q' || mod(n, 5), n, 65536, now(), 's', 'r', 'done', 0, 1, ''
  FROM generate_series(1, 20000) AS n;
INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp)
SELECT md5(n::text)::uuid::text, 'crm', 'customer', now() FROM generate_series(1, 20000) AS n;
INSERT INTO message_process (message_identifier, status) SELECT message_identifier, 10 FROM message_store;
INSERT INTO message_history (message_identifier, processed_timestamp, status)
SELECT message_identifier, now(), 10 FROM message_store;
INSERT INTO archive_message_history (message_identifier, processed_timestamp, status)
SELECT message_identifier, now(), 10 FROM message_store;
INSERT INTO target_record (entity, record_key, valid_from, data, source_message, message_timestamp)
SELECT 'entity-' || mod(number, 20), '["' || number || '"]', now(), '{}', message_identifier, now() FROM message_line;
INSERT INTO unresolved_reference (message_identifier, entity, record_key)
SELECT message_identifier, 'entity-' || mod(number, 20), '["' || number || '"]' FROM message_line;
INSERT INTO cold_message (msg_id, correlation_id, process_id, object_id, msg_timestamp, receive_timestamp,
                          service_name, source_system, state, operation_name, funnel_value, part_id)
SELECT 900000000 + n, 'corr-' || n, 'p-' || n, 'o-' || n, now(), now(), 's', 'CRM', 'OK', 'op', 'f-' || n, 1
  FROM generate_series(1, 20000) AS n;
INSERT INTO target_record (entity, record_key, valid_from, data, source_message, message_timestamp)
SELECT 'customer', %(record)s, now(), '{}', message_identifier, now() FROM message_line ORDER BY number LIMIT 1;
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
VALUES (upper(md5('mine')), 'Q1', 471147, 65536, now());
INSERT INTO document_history (trigger_id, document_uuid, status, time) VALUES ('t-1', %(key)s, 'completed', now())
