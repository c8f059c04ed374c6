-- Deletes some values of deleted definitions.
DELETE FROM business_key
 USING (SELECT values_of.*
          FROM business_key_definition AS definition
         CROSS JOIN LATERAL (SELECT definition_id, value, msg_id, receive_timestamp
                               FROM business_key
                              WHERE business_key.definition_id = definition.definition_id
                              LIMIT %(most)s) AS values_of
         WHERE definition.deleted_at IS NOT NULL
         LIMIT %(most)s) AS gone
 WHERE business_key.definition_id = gone.definition_id
   AND business_key.value = gone.value
   AND business_key.msg_id = gone.msg_id
   AND business_key.receive_timestamp = gone.receive_timestamp
