-- The comparison uses the statement's time, because an index cannot serve a changing one. A due time of any
-- status except 2 is ignored. A missing process row or status means 0. The selected rows are compared again
-- when they are queued.
WITH fresh AS (
    SELECT message_identifier, message_timestamp
      FROM message_line
     WHERE status = 0
       AND muted_at IS NULL
     ORDER BY message_timestamp, message_identifier
     LIMIT %(places)s
), due AS (
    (SELECT message_identifier, message_timestamp
       FROM message_line
      WHERE status = 2
        AND muted_at IS NULL
        AND next_attempt_timestamp IS NULL
      ORDER BY next_attempt_timestamp
      LIMIT %(fence)s)
      UNION ALL
    (SELECT message_identifier, message_timestamp
       FROM message_line
      WHERE status = 2
        AND muted_at IS NULL
        AND next_attempt_timestamp <= statement_timestamp()
      ORDER BY next_attempt_timestamp
      LIMIT %(fence)s)
), chosen AS (
    SELECT message_identifier
      FROM (SELECT * FROM fresh UNION ALL SELECT * FROM due) AS eligible
     ORDER BY message_timestamp, message_identifier
     LIMIT %(places)s
)
INSERT INTO message_process AS process (message_identifier, status)
SELECT message_identifier, 3 FROM chosen
ON CONFLICT (message_identifier) DO UPDATE
   SET status = 3
 WHERE coalesce(process.status, 0) = 0
    OR (process.status = 2
        AND (process.next_attempt_timestamp IS NULL OR process.next_attempt_timestamp <= statement_timestamp()))
