-- The ids of the external calls with an entity id, newest first. The hub's own key begins with the operation, so this
-- goes from one operation to the next by the index of that key, and finds the entity's call of each.
WITH RECURSIVE operations AS (
    (SELECT operation_name FROM external_call ORDER BY operation_name LIMIT 1)
    UNION ALL
    SELECT (SELECT operation_name FROM external_call
             WHERE operation_name > operations.operation_name
             ORDER BY operation_name LIMIT 1)
      FROM operations
     WHERE operations.operation_name IS NOT NULL
), known AS (
    SELECT operation_name FROM operations WHERE operation_name IS NOT NULL LIMIT %(most_operations)s
)
SELECT found.call_id
  FROM known
 CROSS JOIN LATERAL (SELECT call_id FROM external_call
                      WHERE external_call.operation_name = known.operation_name
                        AND external_call.entity_id = %(entity_id)s) AS found
 ORDER BY found.call_id DESC
 LIMIT %(limit)s
