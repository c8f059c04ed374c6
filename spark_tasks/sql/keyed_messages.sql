-- The messages with these ids, live and in the archive tables, with their payloads if their operation has an active
-- definition of a business key. A payload that is too large is not read. Times are texts, because those of a hub may be
-- outside the years that Python has.
SELECT found.msg_id, service_name, operation_name, receive_timestamp::text,
       CASE WHEN octet_length(payload) <= %(largest)s
             AND EXISTS (SELECT FROM business_key_definition AS definition
                          WHERE definition.service_name = found.service_name
                            AND definition.operation_name = found.operation_name
                            AND definition.active
                            AND definition.deleted_at IS NULL
                            AND (%(definition_id)s::bigint IS NULL OR definition_id = %(definition_id)s::bigint))
            THEN payload END
  FROM unnest(%(ids)s::bigint[]) AS chosen (msg_id)
 CROSS JOIN LATERAL (SELECT msg_id, service_name, operation_name, receive_timestamp, payload
                       FROM message
                      WHERE message.msg_id = chosen.msg_id
                      UNION ALL
                     SELECT msg_id, service_name, operation_name, receive_timestamp, payload
                       FROM archive_message
                      WHERE archive_message.msg_id = chosen.msg_id) AS found
