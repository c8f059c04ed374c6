-- One row per deleted value of a business key: its message. The primary key begins with the definition; of an array the
-- planner expects few definitions, of a small table that was never analyzed many.
DELETE FROM business_key
 WHERE definition_id = ANY (ARRAY(SELECT definition_id FROM business_key_definition))
   AND value = %(key)s
RETURNING msg_id
