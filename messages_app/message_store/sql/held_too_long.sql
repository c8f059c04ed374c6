SELECT process.message_identifier, process.status, process.processed_timestamp
  FROM message_line AS line
  JOIN message_process AS process USING (message_identifier)
 WHERE line.status IN (1, 3)
   AND line.claimed_at < statement_timestamp() - make_interval(secs => %(seconds)s)
   AND process.status IN (1, 3)
 ORDER BY line.claimed_at
 LIMIT %(limit)s
