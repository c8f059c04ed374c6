UPDATE message
   SET state = 'OK', start_process_timestamp = start_process_timestamp, last_process_timestamp = now(),
       correlation_id = correlation_id, process_id = process_id, msg_timestamp = msg_timestamp,
       receive_timestamp = receive_timestamp, service_name = service_name, source_system = source_system,
       object_id = object_id, entity_type = entity_type, operation_name = operation_name, payload = payload,
       envelope = envelope, failed_desc = failed_desc, failed_error_code = failed_error_code,
       failed_count = failed_count, custom_data = custom_data, business_error = business_error,
       parent_msg_id = parent_msg_id, funnel_value = funnel_value, guaranteed_order = guaranteed_order,
       exclude_failed_state = exclude_failed_state
 WHERE msg_id = %(msg_id)s
RETURNING msg_id
