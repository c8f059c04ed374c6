-- Only while the attempt still owns the message, which has the attempt's start.
WITH finished AS (
    UPDATE message_process
       SET status = %(status)s,
           next_attempt_timestamp = %(next_attempt)s,
           error_message = %(error_message)s
     WHERE message_identifier = %(identifier)s
       AND status = 1
       AND processed_timestamp = %(started_at)s
    RETURNING message_identifier, processed_timestamp
), alive AS (
    UPDATE message_line AS line
       SET abandoned = 0
      FROM finished
     WHERE line.message_identifier = finished.message_identifier
       AND line.abandoned <> 0
)
INSERT INTO message_history (message_identifier, processed_timestamp, status, error_message, log_text)
SELECT message_identifier, processed_timestamp, %(status)s, %(error_message)s, %(log_text)s
  FROM finished
