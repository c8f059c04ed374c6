-- One row per message with a given number, and per record that one of them wrote or waits for: its key.
SELECT message_identifier FROM message_line WHERE number = ANY (%(ids)s)
UNION
SELECT found.record_key
  FROM message_line AS line
 CROSS JOIN LATERAL ((SELECT record_key FROM target_record WHERE source_message = line.message_identifier)
                     UNION
                     (SELECT record_key FROM unresolved_reference
                       WHERE unresolved_reference.message_identifier = line.message_identifier)) AS found
 WHERE line.number = ANY (%(ids)s)
