UPDATE message_line
   SET muted_at = clock_timestamp()
 WHERE message_identifier = %(identifier)s
   AND muted_at IS NULL
   AND status <> ALL (%(never)s::int[])
   AND (%(expected)s::int IS NULL OR status = %(expected)s)
RETURNING status
