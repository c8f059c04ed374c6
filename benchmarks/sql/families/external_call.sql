-- One call a message.
INSERT INTO external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                           creation_timestamp, last_update_timestamp)
SELECT msg_id + 2, msg_id, 'direct:target' || msg_id / %(ids)s %% 6, 'OK', source_system || '_' || correlation_id,
       msg_timestamp, receive_timestamp, last_process_timestamp
  FROM message WHERE msg_id > %(after)s
