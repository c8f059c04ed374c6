-- Deletes the rows of deleted definitions without values.
DELETE FROM business_key_definition AS definition
 WHERE deleted_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM business_key WHERE business_key.definition_id = definition.definition_id)
