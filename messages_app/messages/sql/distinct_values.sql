-- filters/vocabulary.py replaces {column} with a name from its own list. Each step reads the column's index once.
WITH RECURSIVE jump AS (
    (SELECT {column} AS value FROM message
      WHERE {column} >= %(start)s
      ORDER BY {column} LIMIT 1)
    UNION ALL
    SELECT (SELECT {column} FROM message
             WHERE {column} > jump.value
             ORDER BY {column} LIMIT 1)
      FROM jump
     WHERE jump.value IS NOT NULL
)
SELECT value FROM jump WHERE value IS NOT NULL LIMIT %(count)s
