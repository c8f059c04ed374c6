-- The keys of a message, by its index. A message has few definitions, and a limited number of values of each.
SELECT DISTINCT definition.name, own.value
  FROM (SELECT definition_id, value
          FROM business_key
         WHERE msg_id = %(msg_id)s
         LIMIT %(most)s) AS own
  JOIN business_key_definition AS definition USING (definition_id)
 WHERE definition.deleted_at IS NULL
   AND (%(may_view)s OR NOT definition.sensitive)
 ORDER BY definition.name, own.value
