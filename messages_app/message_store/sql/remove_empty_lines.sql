-- Lines of messages without rows and history.
DELETE FROM message_line AS line
 WHERE NOT line.has_store
   AND NOT line.has_process
   AND NOT EXISTS (SELECT FROM message_history AS history
                    WHERE history.message_identifier = line.message_identifier)
