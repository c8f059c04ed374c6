-- The values of the newest messages that have some, by the index of their ids.
SELECT definition.name, own.value, own.msg_id, own.receive_timestamp
  FROM (SELECT definition_id, value, msg_id, receive_timestamp
          FROM business_key
         ORDER BY msg_id DESC
         LIMIT %(last)s) AS own
  JOIN business_key_definition AS definition USING (definition_id)
 WHERE definition.deleted_at IS NULL
   AND (%(may_view)s OR NOT definition.sensitive)
 ORDER BY own.msg_id DESC, definition.name, own.value
 LIMIT %(most)s
