-- From 0, 2 or 3 to 1. A missing process row, or a missing status, is 0. The start is that of take_queued.
WITH taken AS (
    INSERT INTO message_process AS process (message_identifier, status, processed_timestamp)
    SELECT line.message_identifier, 1,
           greatest(clock_timestamp(),
                    (SELECT max(history.processed_timestamp) + interval '1 microsecond'
                       FROM message_history AS history
                      WHERE history.message_identifier = line.message_identifier
                        AND history.processed_timestamp < '9999-01-01'))
      FROM message_line AS line
     WHERE line.message_identifier = %(identifier)s
       AND line.status IN (0, 2, 3)
    ON CONFLICT (message_identifier) DO UPDATE
       SET status = 1,
           processed_timestamp = greatest(excluded.processed_timestamp,
                                          CASE WHEN process.processed_timestamp < '9999-01-01'
                                               THEN process.processed_timestamp + interval '1 microsecond' END)
     WHERE coalesce(process.status, 0) IN (0, 2, 3)
    RETURNING process.message_identifier, process.processed_timestamp
)
SELECT taken.message_identifier, taken.processed_timestamp, line.attempts,
       store.message_identifier IS NOT NULL,
       store.source_system, store.source_entity, store.message_timestamp, store.effective_timestamp,
       store.refresh, store.options, store.data, store.file_path
  FROM taken
  JOIN message_line AS line USING (message_identifier)
  LEFT JOIN message_store AS store USING (message_identifier)
