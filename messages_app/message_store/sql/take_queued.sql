-- From 3 to 1, the oldest first; locked messages are skipped. The start is later than every other attempt's.
WITH next AS (
    SELECT process.message_identifier, line.attempts
      FROM message_line AS line
      JOIN message_process AS process USING (message_identifier)
     WHERE line.status IN (1, 3)
       AND line.claimed_at IS NOT NULL
       AND process.status = 3
     ORDER BY line.message_timestamp, line.message_identifier
     LIMIT 1
       FOR UPDATE OF process SKIP LOCKED
), taken AS (
    UPDATE message_process AS process
       SET status = 1,
           processed_timestamp = greatest(
               clock_timestamp(),
               process.processed_timestamp + interval '1 microsecond',
               (SELECT max(history.processed_timestamp) + interval '1 microsecond'
                  FROM message_history AS history
                 WHERE history.message_identifier = process.message_identifier))
      FROM next
     WHERE process.message_identifier = next.message_identifier
       AND process.status = 3
    RETURNING process.message_identifier, process.processed_timestamp, next.attempts
)
SELECT taken.message_identifier, taken.processed_timestamp, taken.attempts,
       store.message_identifier IS NOT NULL,
       store.source_system, store.source_entity, store.message_timestamp, store.effective_timestamp,
       store.refresh, store.options, store.data, store.file_path
  FROM taken
  LEFT JOIN message_store AS store USING (message_identifier)
