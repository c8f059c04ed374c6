-- A message as an attempt would read it now. It is not taken.
SELECT line.message_identifier, clock_timestamp(), line.attempts,
       store.message_identifier IS NOT NULL,
       store.source_system, store.source_entity, store.message_timestamp, store.effective_timestamp,
       store.refresh, store.options, store.data, store.file_path
  FROM message_line AS line
  LEFT JOIN message_store AS store USING (message_identifier)
 WHERE line.message_identifier = %(identifier)s
