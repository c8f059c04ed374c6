WITH due AS (
    UPDATE message_process
       SET next_attempt_timestamp = clock_timestamp()
     WHERE message_identifier = %(identifier)s
       AND status = 2
       AND (%(expected)s::int IS NULL OR status = %(expected)s)
    RETURNING message_identifier, status
), unmuted AS (
    UPDATE message_line AS line
       SET muted_at = NULL
      FROM due
     WHERE line.message_identifier = due.message_identifier
       AND line.muted_at IS NOT NULL
)
SELECT status FROM due
