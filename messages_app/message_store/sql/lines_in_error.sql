-- One row per message of these keys that is in error and not muted: its key.
SELECT message_identifier
  FROM message_line
 WHERE message_identifier = ANY (%(keys)s)
   AND status >= 20
   AND muted_at IS NULL
