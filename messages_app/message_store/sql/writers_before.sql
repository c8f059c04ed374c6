-- Of these messages, the ones of which records are there.
SELECT DISTINCT source_message
  FROM target_record
 WHERE source_message = ANY (%(identifiers)s::text[])
