-- The queues that have messages, each found by one step in the index.
WITH RECURSIVE known AS (
    (SELECT queuename FROM oscpmqueue ORDER BY queuename LIMIT 1)
    UNION ALL
    SELECT (SELECT message.queuename
              FROM oscpmqueue AS message
             WHERE message.queuename > known.queuename
             ORDER BY message.queuename
             LIMIT 1)
      FROM known
     WHERE known.queuename IS NOT NULL
)
SELECT queuename
  FROM known
 WHERE queuename IS NOT NULL
 LIMIT %(most)s
