-- Every fourth message has a call.
INSERT INTO external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                           creation_timestamp, last_update_timestamp, failed_count)
SELECT msg_id + 2, msg_id, 'direct:target' || msg_id / %(ids)s %% 6,
       CASE state WHEN 'FAILED' THEN 'FAILED' WHEN 'PROCESSING' THEN 'PROCESSING' ELSE 'OK' END,
       'CRM_corr-' || msg_id, msg_timestamp, receive_timestamp + interval '200 ms',
       receive_timestamp + interval '900 ms', 0
  FROM message WHERE msg_id / %(ids)s %% 4 = 0
