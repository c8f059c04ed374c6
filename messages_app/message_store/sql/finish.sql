-- Only while an attempt still owns its message, which has the attempt's start.
WITH given AS (
    SELECT *
      FROM unnest(%(identifiers)s::text[], %(starts)s::timestamptz[], %(statuses)s::int[],
                  %(next_attempts)s::timestamptz[], %(errors)s::text[], %(logs)s::text[])
           AS given (message_identifier, started_at, status, next_attempt, error_message, log_text)
), finished AS (
    UPDATE message_process AS process
       SET status = given.status,
           next_attempt_timestamp = given.next_attempt,
           error_message = given.error_message
      FROM given
     WHERE process.message_identifier = given.message_identifier
       AND process.status = 1
       AND process.processed_timestamp = given.started_at
    RETURNING process.message_identifier, process.processed_timestamp, given.status, given.error_message,
              given.log_text
), alive AS (
    UPDATE message_line AS line
       SET abandoned = 0
      FROM finished
     WHERE line.message_identifier = finished.message_identifier
       AND line.abandoned <> 0
)
INSERT INTO message_history (message_identifier, processed_timestamp, status, error_message, log_text)
SELECT message_identifier, processed_timestamp, status, error_message, log_text
  FROM finished
