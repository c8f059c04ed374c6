-- Processed messages of one service and a range of times, of which an analysis compares the share %(share)s of
-- %(shares)s, chosen by their ids. Columns are those of analysed_messages.sql. The ids come from the index
-- message_service_received_idx, which has the state too, so that no other row of the table is read.
SELECT service_name, operation_name, source_system, entity_type, object_id, process_id, parent_msg_id::text,
       parent_binding_type, funnel_value, funnel_component_id, guaranteed_order::text, exclude_failed_state::text,
       node_id::text,
       CASE WHEN octet_length(payload) <= %(most)s THEN payload END, octet_length(payload)::bigint,
       CASE WHEN octet_length(envelope) <= %(most)s THEN envelope END, octet_length(envelope)::bigint
  FROM message
 WHERE msg_id = ANY (ARRAY(SELECT msg_id
                             FROM message
                            WHERE service_name = %(service_name)s
                              AND receive_timestamp >= %(start)s AND receive_timestamp < %(end)s
                              AND state = 'OK'
                              AND msg_id %% %(shares)s < %(share)s))
