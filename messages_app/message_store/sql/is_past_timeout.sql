SELECT message_identifier
  FROM message_line
 WHERE message_identifier = %(identifier)s
   AND claimed_at < statement_timestamp() - make_interval(secs => %(seconds)s)
