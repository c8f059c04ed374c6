-- One row per message with moved attempts: its number, and how many moved. The newest attempt of each message
-- stays, because the next one must begin after it.
WITH asked AS (
    SELECT line.number, line.message_identifier, newest.at AS newest
      FROM message_line AS line,
           LATERAL (SELECT max(history.processed_timestamp) AS at
                      FROM message_history AS history
                     WHERE history.message_identifier = line.message_identifier) AS newest
     WHERE line.number = ANY (%(ids)s)
), moved AS (
    DELETE FROM message_history AS history
     USING asked
     WHERE history.message_identifier = asked.message_identifier
       AND history.processed_timestamp < least(asked.newest, %(cutoff)s::timestamptz)
    RETURNING history.message_identifier, history.processed_timestamp, history.status, history.error_message,
              history.log_text
), kept AS (
    INSERT INTO archive_message_history (message_identifier, processed_timestamp, status, error_message, log_text)
    SELECT message_identifier, processed_timestamp, status, error_message, log_text FROM moved
)
SELECT asked.number, count(*)
  FROM moved
  JOIN asked USING (message_identifier)
 GROUP BY asked.number
