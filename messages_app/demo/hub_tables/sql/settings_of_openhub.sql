-- The nodes of the demo's hub, and its times under the names of OpenHub's settings.
INSERT INTO node (node_id, code, name, state) VALUES (1, 'node-1', 'Node 1', 'RUN'), (2, 'node-2', 'Node 2', 'RUN');
SELECT setval('openhub_node_sequence', 2);
INSERT INTO configuration_item (code, category_code, current_value, default_value, data_type) VALUES
  ('ohf.asynch.countPartlyFailsBeforeFailed', 'core.async', '3', '3', 'INT'),
  ('ohf.asynch.repairRepeatTimeSec', 'core.async', '300', '300', 'INT'),
  ('ohf.asynch.concurrentConsumers', 'core.async', '30', '5', 'INT'),
  ('ohf.asynch.partlyFailedRepeatTimeSec', 'core.async', %(HUB_POLL_SECONDS)s, '60', 'INT'),
  ('ohf.asynch.partlyFailedIntervalSec', 'core.async', %(HUB_FAILED_REST_SECONDS)s, '60', 'INT'),
  ('ohf.asynch.postponedIntervalSec', 'core.async', %(HUB_POSTPONED_REST_SECONDS)s, '5', 'INT'),
  ('ohf.asynch.postponedIntervalWhenFailedSec', 'core.async', '300', '300', 'INT'),
  ('ohf.asynch.confirmation.failedLimit', 'core.async', '3', '3', 'INT'),
  ('ohf.asynch.confirmation.repeatTimeSec', 'core.async', %(HUB_POLL_SECONDS)s, '60', 'INT'),
  ('ohf.asynch.confirmation.intervalSec', 'core.async', %(HUB_POLL_SECONDS)s, '60', 'INT'),
  ('ohf.asynch.finalMessages.ok.saveTimeInSec', 'core.async', '0', '0', 'INT'),
  ('ohf.mail.admin.enabled', 'core.mail', 'false', 'false', 'BOOLEAN');
