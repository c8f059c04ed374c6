-- CleverBus has no queue: a message is PROCESSING from its receipt.
UPDATE incoming_message SET state = 'PROCESSING' WHERE state IN ('NEW', 'IN_QUEUE');
UPDATE incoming_message_event
   SET from_state = CASE WHEN from_state IN ('NEW', 'IN_QUEUE') THEN 'PROCESSING' ELSE from_state END,
       to_state = CASE WHEN to_state IN ('NEW', 'IN_QUEUE') THEN 'PROCESSING' ELSE to_state END
 WHERE 'NEW' IN (from_state, to_state) OR 'IN_QUEUE' IN (from_state, to_state);
DELETE FROM incoming_message_event WHERE from_state = to_state;
