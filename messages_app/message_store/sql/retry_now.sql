UPDATE message_process
   SET next_attempt_timestamp = clock_timestamp()
 WHERE message_identifier = %(identifier)s
   AND status = 2
   AND (%(expected)s::int IS NULL OR status = %(expected)s)
RETURNING status
