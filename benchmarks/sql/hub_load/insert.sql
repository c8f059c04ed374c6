INSERT INTO message
       (correlation_id, process_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
        start_process_timestamp, object_id, entity_type, operation_name, payload, envelope, failed_desc,
        failed_error_code, failed_count, last_process_timestamp, custom_data, business_error, parent_msg_id,
        funnel_value, guaranteed_order, exclude_failed_state)
VALUES (%(correlation_id)s, NULL, now(), now(), 'billing', 'CRM', 'NEW', NULL, 'customer-17', 'CUSTOMER',
        'createInvoice', repeat('<invoice/>', 100), repeat('<soap/>', 50), NULL, NULL, 0, NULL, NULL, NULL, NULL,
        NULL, false, false)
RETURNING msg_id
