-- A fifth as many again, a year older.
INSERT INTO archive_message
SELECT msg_id + (%(messages)s + 10)::bigint * %(ids)s, correlation_id || 'a', process_id,
       msg_timestamp - interval '1 year', receive_timestamp - interval '1 year', service_name, source_system,
       CASE WHEN state IN ('OK', 'FAILED', 'CANCEL') THEN state ELSE 'OK' END,
       start_process_timestamp - interval '1 year', object_id, entity_type, operation_name, payload, envelope,
       failed_desc, failed_error_code, failed_count, last_process_timestamp - interval '1 year', custom_data,
       business_error, NULL, funnel_value, NULL, guaranteed_order, exclude_failed_state, funnel_component_id
  FROM message WHERE msg_id / %(ids)s %% 5 = 0
