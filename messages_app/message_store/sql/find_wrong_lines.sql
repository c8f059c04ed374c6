-- One row: up to %(most)s messages whose line is missing or is not as their rows say.
SELECT array_agg(message_identifier)
  FROM (SELECT message_identifier
          FROM message_line AS line
          FULL JOIN message_store AS store USING (message_identifier)
          FULL JOIN message_process AS process USING (message_identifier)
         WHERE line.number IS NULL
            OR line.has_store <> (store.message_identifier IS NOT NULL)
            OR line.has_process <> (process.message_identifier IS NOT NULL)
            OR line.status IS DISTINCT FROM CASE WHEN process.message_identifier IS NOT NULL
                                                 THEN coalesce(process.status, 0)
                                                 WHEN store.message_identifier IS NOT NULL THEN 0 END
            OR process.message_identifier IS NOT NULL
               AND line.next_attempt_timestamp IS DISTINCT FROM process.next_attempt_timestamp
            OR store.message_identifier IS NOT NULL
               AND (line.source_system, line.source_entity)
                   IS DISTINCT FROM (store.source_system, store.source_entity)
         LIMIT %(most)s) AS wrong
