-- Each error is looked up by its key: a join might read all of message_process for them.
SELECT line.message_identifier, line.message_timestamp, line.status, line.source_entity,
       (SELECT process.error_message
          FROM message_process AS process
         WHERE process.message_identifier = line.message_identifier)
  FROM message_line AS line
 WHERE line.status >= 20
   AND line.muted_at IS NULL
 ORDER BY line.message_timestamp DESC, line.number DESC
 LIMIT %(newest)s
