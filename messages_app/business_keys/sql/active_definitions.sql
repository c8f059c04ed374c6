-- The definitions whose values are extracted.
SELECT definition_id, service_name, operation_name, path
  FROM business_key_definition
 WHERE active AND deleted_at IS NULL
 ORDER BY definition_id
