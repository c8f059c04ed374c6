-- The calls of the archived messages.
INSERT INTO archive_external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                                   creation_timestamp, last_update_timestamp, failed_count)
SELECT call_id + shift, msg_id + shift, operation_name, 'OK', entity_id || 'a', msg_timestamp - age,
       creation_timestamp - age, last_update_timestamp - age, failed_count
  FROM external_call, (SELECT (%(messages)s + 10)::bigint * %(ids)s AS shift, interval '1 year' AS age) AS moved
 WHERE msg_id / %(ids)s %% 5 = 0
