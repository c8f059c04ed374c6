-- The columns of the given messages that an analysis compares (message_facts.MESSAGE_COLUMNS). A text above %(most)s
-- bytes is not read; PostgreSQL knows its size.
SELECT service_name, operation_name, source_system, entity_type, object_id, process_id, parent_msg_id::text,
       parent_binding_type, funnel_value, funnel_component_id, guaranteed_order::text, exclude_failed_state::text,
       node_id::text,
       CASE WHEN octet_length(payload) <= %(most)s THEN payload END, octet_length(payload)::bigint,
       CASE WHEN octet_length(envelope) <= %(most)s THEN envelope END, octet_length(envelope)::bigint
  FROM message
 WHERE msg_id = ANY (%(ids)s)
