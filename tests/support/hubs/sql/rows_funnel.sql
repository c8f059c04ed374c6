-- CleverBus 2.0 writes the values of new messages only to this table. A message may have several.
INSERT INTO funnel (funnel_id, msg_id, funnel_value)
SELECT 400 + msg_id, msg_id, funnel_value FROM message WHERE state <> 'OK'
UNION ALL
SELECT 499, 8, 'value-8';
UPDATE message SET funnel_value = NULL WHERE state <> 'OK';
