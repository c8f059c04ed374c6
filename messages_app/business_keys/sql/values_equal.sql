-- The newest messages with a value, of each definition by its index, with where they are now.
SELECT found.definition_id, found.name, found.sensitive, found.value, found.msg_id, found.receive_timestamp,
       place.live, place.archived OR place.cold AS archived
  FROM (SELECT definition.definition_id, definition.name, definition.sensitive, own.value, own.msg_id,
               own.receive_timestamp
          FROM business_key_definition AS definition
         CROSS JOIN LATERAL (SELECT value, msg_id, receive_timestamp
                               FROM business_key
                              WHERE business_key.definition_id = definition.definition_id
                                AND business_key.value = %(value)s
                              ORDER BY msg_id DESC
                              LIMIT %(most)s) AS own
         WHERE definition.deleted_at IS NULL
           AND (%(may_view)s OR NOT definition.sensitive)
         ORDER BY own.msg_id DESC
         LIMIT %(most)s) AS found
 CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM message WHERE message.msg_id = found.msg_id) AS live,
                            EXISTS (SELECT FROM archive_message WHERE archive_message.msg_id = found.msg_id) AS archived,
                            EXISTS (SELECT FROM cold_message WHERE cold_message.msg_id = found.msg_id) AS cold) AS place
 WHERE place.live OR place.archived OR place.cold
 ORDER BY found.msg_id DESC, found.name, found.definition_id
