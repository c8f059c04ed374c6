-- The paths of the active definitions of business keys, or of one of them.
SELECT definition_id, service_name, operation_name, path
  FROM business_key_definition
 WHERE active
   AND deleted_at IS NULL
   AND (%(definition_id)s::bigint IS NULL OR definition_id = %(definition_id)s::bigint)
 ORDER BY definition_id
