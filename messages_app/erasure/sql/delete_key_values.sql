-- One row per deleted value of a business key: its message. The primary key begins with the definition.
DELETE FROM business_key
 WHERE definition_id IN (SELECT definition_id FROM business_key_definition)
   AND value = %(key)s
RETURNING msg_id
