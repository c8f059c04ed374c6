-- OpenHub 2.2 or newer: messages of the two states of its queue, its nodes, and the settings that tell the release.
SELECT setval('openhub_sequence', 1000), setval('openhub_node_sequence', 2);
INSERT INTO node (node_id, code, name, state) VALUES
  (1, 'node-1', 'Node 1', 'RUN'), (2, 'node-2', 'Node 2', 'HANDLES_EXISTING_MESSAGES');
UPDATE message SET node_id = 1 + msg_id % 2, start_in_queue_timestamp = start_process_timestamp - interval '1 second';
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system, state,
                     operation_name, payload, failed_count, node_id, start_in_queue_timestamp)
VALUES (11, 'correlation-11', '2024-07-02 12:00', '2024-07-02 12:00', 'HELLO', 'ERP', 'NEW', 'asyncHello', '<hello/>', 0,
        NULL, NULL),
       (12, 'correlation-12', '2024-07-02 12:01', '2024-07-02 12:01', 'HELLO', 'ERP', 'IN_QUEUE', 'asyncHello',
        '<hello/>', 0, 1, '2024-07-02 12:02');
INSERT INTO configuration_item (code, category_code, current_value, default_value, data_type) VALUES
  ('ohf.asynch.countPartlyFailsBeforeFailed', 'core.async', '3', '3', 'INT'),
  ('ohf.asynch.repairRepeatTimeSec', 'core.async', '300', '300', 'INT'),
  ('ohf.asynch.concurrentConsumers', 'core.async', '5', '5', 'INT'),
  ('ohf.asynch.partlyFailedRepeatTimeSec', 'core.async', '30', '60', 'INT'),
  ('ohf.asynch.partlyFailedIntervalSec', 'core.async', '120', '60', 'INT'),
  ('ohf.asynch.postponedIntervalSec', 'core.async', '5', '5', 'INT'),
  ('ohf.asynch.postponedIntervalWhenFailedSec', 'core.async', '300', '300', 'INT'),
  ('ohf.asynch.confirmation.failedLimit', 'core.async', '3', '3', 'INT'),
  ('ohf.asynch.confirmation.repeatTimeSec', 'core.async', '60', '60', 'INT'),
  ('ohf.asynch.confirmation.intervalSec', 'core.async', '60', '60', 'INT'),
  ('ohf.asynch.externalCall.skipUriPattern', 'core.async', NULL, NULL, 'STRING'),
  ('ohf.asynch.finalMessages.ok.saveTimeInSec', 'core.async', '0', '0', 'INT'),
  ('ohf.mail.admin.enabled', 'core.mail', 'false', 'false', 'BOOLEAN');
