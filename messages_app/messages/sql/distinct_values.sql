-- The values of a column from a text on, each once. Each step reads the column's index once. The callers replace {table}
-- and {column} with names from their own lists.
WITH RECURSIVE jump AS (
    (SELECT {column} AS value FROM {table}
      WHERE {column} >= %(start)s
      ORDER BY {column} LIMIT 1)
    UNION ALL
    SELECT (SELECT {column} FROM {table}
             WHERE {column} > jump.value
             ORDER BY {column} LIMIT 1)
      FROM jump
     WHERE jump.value IS NOT NULL
)
SELECT value FROM jump WHERE value IS NOT NULL LIMIT %(count)s
