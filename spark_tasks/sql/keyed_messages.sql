-- The messages with these ids: live, in the archive tables, and in Parquet files with their part. The payload is read if
-- the operation has an active definition of a business key, and if it is not too large. Times are texts, because those
-- of a hub may be outside the years that Python has.
SELECT found.msg_id, service_name, operation_name, receive_timestamp::text,
       CASE WHEN octet_length(payload) <= %(largest)s
             AND EXISTS (SELECT FROM business_key_definition AS definition
                          WHERE definition.service_name = found.service_name
                            AND definition.operation_name = found.operation_name
                            AND definition.active
                            AND definition.deleted_at IS NULL
                            AND (%(definition_id)s::bigint IS NULL OR definition_id = %(definition_id)s::bigint))
            THEN payload END,
       part_id
  FROM unnest(%(ids)s::bigint[]) AS chosen (msg_id)
 CROSS JOIN LATERAL (SELECT msg_id, service_name, operation_name, receive_timestamp, payload, NULL::bigint AS part_id
                       FROM message
                      WHERE message.msg_id = chosen.msg_id
                      UNION ALL
                     SELECT msg_id, service_name, operation_name, receive_timestamp, payload, NULL
                       FROM archive_message
                      WHERE archive_message.msg_id = chosen.msg_id
                      UNION ALL
                     SELECT msg_id, service_name, operation_name, receive_timestamp, NULL, part_id
                       FROM cold_message
                      WHERE cold_message.msg_id = chosen.msg_id) AS found
