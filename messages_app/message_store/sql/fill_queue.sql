-- A due time on any other status than 2 is ignored. A missing process row, or status, is 0. What is chosen is
-- compared once more as it is queued.
WITH room AS (
    SELECT greatest(%(depth)s - count(*), 0) AS places
      FROM message_line
     WHERE status IN (1, 3)
       AND status = 3
), fresh AS (
    SELECT message_identifier, message_timestamp
      FROM message_line
     WHERE status = 0
     ORDER BY message_timestamp, message_identifier
     LIMIT (SELECT places FROM room)
), due AS (
    (SELECT message_identifier, message_timestamp
       FROM message_line
      WHERE status = 2
        AND next_attempt_timestamp IS NULL
      LIMIT %(fence)s)
      UNION ALL
    (SELECT message_identifier, message_timestamp
       FROM message_line
      WHERE status = 2
        AND next_attempt_timestamp <= clock_timestamp()
      ORDER BY next_attempt_timestamp
      LIMIT %(fence)s)
), chosen AS (
    SELECT message_identifier
      FROM (SELECT * FROM fresh UNION ALL SELECT * FROM due) AS eligible
     ORDER BY message_timestamp, message_identifier
     LIMIT (SELECT places FROM room)
)
INSERT INTO message_process AS process (message_identifier, status)
SELECT message_identifier, 3 FROM chosen
ON CONFLICT (message_identifier) DO UPDATE
   SET status = 3
 WHERE coalesce(process.status, 0) = 0
    OR (process.status = 2
        AND (process.next_attempt_timestamp IS NULL OR process.next_attempt_timestamp <= clock_timestamp()))
