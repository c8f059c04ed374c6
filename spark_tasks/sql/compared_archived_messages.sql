-- The archived messages of a sample, as compared_messages.sql gives the live ones. A message that is in both tables is
-- live. At most %(most_rows)s rows are read, because the archive has no index by service.
SELECT service_name, operation_name, source_system, entity_type, object_id, process_id, parent_msg_id::text,
       parent_binding_type, funnel_value, funnel_component_id, guaranteed_order::text, exclude_failed_state::text,
       node_id::text,
       CASE WHEN octet_length(payload) <= %(most)s THEN payload END, octet_length(payload)::bigint,
       CASE WHEN octet_length(envelope) <= %(most)s THEN envelope END, octet_length(envelope)::bigint
  FROM archive_message
 WHERE msg_id = ANY (ARRAY(SELECT msg_id
                             FROM (SELECT msg_id, service_name
                                     FROM archive_message
                                    WHERE receive_timestamp >= %(start)s AND receive_timestamp < %(end)s
                                      AND state = 'OK'
                                    ORDER BY receive_timestamp
                                    LIMIT %(most_rows)s) AS archived
                            WHERE service_name = %(service_name)s
                              AND msg_id %% %(shares)s < %(share)s
                              AND NOT EXISTS (SELECT FROM message WHERE message.msg_id = archived.msg_id)))
