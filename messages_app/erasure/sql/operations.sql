-- Every operation that has live external calls, by a loose index scan, because the hub's own key begins with
-- it.
WITH RECURSIVE known AS (
    (SELECT operation_name FROM external_call ORDER BY operation_name LIMIT 1)
    UNION ALL
    SELECT (SELECT operation_name FROM external_call
             WHERE operation_name > known.operation_name
             ORDER BY operation_name LIMIT 1)
      FROM known
     WHERE known.operation_name IS NOT NULL
)
SELECT operation_name FROM known WHERE operation_name IS NOT NULL
