SELECT line.message_identifier, line.message_timestamp, line.status, line.source_entity, process.error_message
  FROM (SELECT message_identifier, message_timestamp, number, status, source_entity
          FROM message_line
         WHERE status >= 20
         ORDER BY message_timestamp DESC, number DESC
         LIMIT %(newest)s) AS line
  JOIN message_process AS process USING (message_identifier)
 ORDER BY line.message_timestamp DESC, line.number DESC
