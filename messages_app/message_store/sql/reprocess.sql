WITH before AS (
    SELECT message_identifier, status
      FROM message_process
     WHERE message_identifier = %(identifier)s
       AND (status IN (2, 10) OR status >= 20)
       AND (%(expected)s::int IS NULL OR status = %(expected)s)
       FOR UPDATE
), reset AS (
    UPDATE message_line AS line
       SET abandoned = 0
      FROM before
     WHERE line.message_identifier = before.message_identifier
       AND line.abandoned <> 0
)
UPDATE message_process AS process
   SET status = 0,
       next_attempt_timestamp = NULL,
       error_message = NULL
  FROM before
 WHERE process.message_identifier = before.message_identifier
RETURNING before.status
