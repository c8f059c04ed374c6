-- A history without store and process row has a line too.
INSERT INTO message_line (message_identifier, message_timestamp)
SELECT history.message_identifier, min(history.processed_timestamp)
  FROM message_history AS history
 WHERE NOT EXISTS (SELECT FROM message_line AS line
                    WHERE line.message_identifier = history.message_identifier)
 GROUP BY history.message_identifier
ON CONFLICT (message_identifier) DO NOTHING
