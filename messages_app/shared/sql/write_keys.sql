-- Stores values of keys, each once, except those of deleted definitions.
INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)
SELECT added.definition_id, added.value, added.msg_id, added.receive_timestamp
  FROM unnest(%(definitions)s::bigint[], %(values)s::text[], %(msg_ids)s::bigint[], %(times)s::timestamptz[])
       AS added (definition_id, value, msg_id, receive_timestamp)
  JOIN business_key_definition AS definition ON definition.definition_id = added.definition_id
 WHERE definition.deleted_at IS NULL
    ON CONFLICT (definition_id, value, msg_id, receive_timestamp) DO NOTHING
