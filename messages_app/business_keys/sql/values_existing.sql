-- The values of a list that messages have, each with the name of a key.
SELECT asked.value, own.name
  FROM unnest(%(values)s::text[]) AS asked (value)
 CROSS JOIN LATERAL (SELECT definition.name
                       FROM business_key_definition AS definition
                      CROSS JOIN LATERAL (SELECT msg_id
                                            FROM business_key
                                           WHERE business_key.definition_id = definition.definition_id
                                             AND business_key.value = asked.value
                                           ORDER BY msg_id DESC
                                           LIMIT %(most)s) AS found
                      WHERE definition.deleted_at IS NULL
                        AND (%(may_view)s OR NOT definition.sensitive)
                        AND (EXISTS (SELECT FROM message WHERE message.msg_id = found.msg_id)
                             OR EXISTS (SELECT FROM archive_message WHERE archive_message.msg_id = found.msg_id)
                             OR EXISTS (SELECT FROM cold_message WHERE cold_message.msg_id = found.msg_id))
                      LIMIT 1) AS own
