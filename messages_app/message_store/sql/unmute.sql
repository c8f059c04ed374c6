UPDATE message_line
   SET muted_at = NULL
 WHERE message_identifier = %(identifier)s
   AND muted_at IS NOT NULL
   AND (%(expected)s::int IS NULL OR status = %(expected)s)
RETURNING status
