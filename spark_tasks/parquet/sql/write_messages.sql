-- As many rows as messages were copied: where each lies, and what lists show of it.
INSERT INTO cold_message (
       msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
       start_process_timestamp, object_id, entity_type, operation_name, failed_error_code, failed_count,
       last_process_timestamp, parent_msg_id, funnel_value, parent_binding_type, guaranteed_order,
       exclude_failed_state, funnel_component_id, node_id, start_in_queue_timestamp, failed_summary, part_id)
SELECT msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
       start_process_timestamp, object_id, entity_type, operation_name, failed_error_code, failed_count,
       last_process_timestamp, parent_msg_id, funnel_value, parent_binding_type, guaranteed_order,
       exclude_failed_state, funnel_component_id, node_id, start_in_queue_timestamp,
       left(split_part(failed_desc, E'\n', 1), 200), %(part_id)s
  FROM message
 WHERE msg_id = ANY (%(ids)s)
