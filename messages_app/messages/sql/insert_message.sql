-- One row, the id of the new message, if neither its id nor its correlation id was there at the moment of the
-- write; else none. A given id that is in the archive counts as there: a restore would bring it back.
INSERT INTO message (
  msg_id, correlation_id, process_id, msg_timestamp, receive_timestamp, service_name, source_system, state,
  start_process_timestamp, object_id, entity_type, operation_name, payload, envelope, failed_desc,
  failed_error_code, failed_count, last_process_timestamp, custom_data, business_error, parent_msg_id,
  funnel_value, parent_binding_type, guaranteed_order, exclude_failed_state, funnel_component_id, node_id,
  start_in_queue_timestamp
)
SELECT
  coalesce(%(msg_id)s::bigint, nextval('hibernate_sequence')), %(correlation_id)s, %(process_id)s,
  %(msg_timestamp)s::timestamptz, %(receive_timestamp)s::timestamptz, %(service_name)s, %(source_system)s,
  %(state)s, %(start_process_timestamp)s::timestamptz, %(object_id)s, %(entity_type)s, %(operation_name)s,
  %(payload)s, %(envelope)s, %(failed_desc)s, %(failed_error_code)s, coalesce(%(failed_count)s::integer, 0),
  %(last_process_timestamp)s::timestamptz, %(custom_data)s, %(business_error)s, %(parent_msg_id)s::bigint,
  %(funnel_value)s, %(parent_binding_type)s, coalesce(%(guaranteed_order)s::boolean, false),
  coalesce(%(exclude_failed_state)s::boolean, false), %(funnel_component_id)s, %(node_id)s::bigint,
  %(start_in_queue_timestamp)s::timestamptz
 WHERE NOT EXISTS (SELECT FROM archived_relative WHERE msg_id = %(msg_id)s::bigint)
ON CONFLICT DO NOTHING
RETURNING msg_id
