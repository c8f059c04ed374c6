-- The distinct operations of stored calls, by one lookup in uq_ext_call_operation_entity_id for each.
WITH RECURSIVE one AS (
  (SELECT operation_name FROM external_call ORDER BY operation_name LIMIT 1)
   UNION ALL
  SELECT (SELECT operation_name FROM external_call
           WHERE operation_name > one.operation_name
           ORDER BY operation_name
           LIMIT 1)
    FROM one
   WHERE one.operation_name IS NOT NULL
)
SELECT operation_name FROM one WHERE operation_name IS NOT NULL LIMIT %(limit)s
