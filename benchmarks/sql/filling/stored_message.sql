-- The messages of `message_store.sql`: its rows next to them are there already.
INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,
                           effective_timestamp, data)
SELECT message_identifier, source_system, source_entity, message_timestamp, message_timestamp,
       '{"id": 1}'
  FROM message_line
