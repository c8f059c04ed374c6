-- From 3 to 1, the oldest first; locked messages are skipped. A start is later than every other attempt's of its
-- message, except one of the year 9999 or later: a microsecond after it may be no time. Some messages are taken separately, so that no other waits for them or dies with them: after the death of a
-- worker, refreshes, files, large data, and the data of definitions with a reader or a processor.
WITH next AS MATERIALIZED (
    SELECT process.message_identifier, line.message_timestamp, line.attempts, line.abandoned
      FROM message_line AS line
      JOIN message_process AS process USING (message_identifier)
     WHERE line.status IN (1, 3)
       AND line.claimed_at IS NOT NULL
       AND process.status = 3
     ORDER BY line.message_timestamp, line.message_identifier
     LIMIT %(most)s
       FOR UPDATE OF process SKIP LOCKED
), read AS (
    SELECT next.message_identifier, next.attempts, store.message_identifier IS NOT NULL AS is_stored,
           store.source_system, store.source_entity, store.message_timestamp, store.effective_timestamp,
           store.refresh, store.options, store.data, store.file_path,
           row_number() OVER in_order AS place,
           bool_or(next.abandoned > 0
                   OR store.refresh
                   OR store.file_path IS NOT NULL
                   OR octet_length(store.data) > %(small)s
                   OR EXISTS (SELECT
                                FROM source_definition AS definition
                               WHERE definition.entity = store.source_entity
                                 AND (definition.reader <> '' OR definition.processor <> ''))) OVER in_order
               AS is_behind_separate
      FROM next
      LEFT JOIN message_store AS store USING (message_identifier)
    WINDOW in_order AS (ORDER BY next.message_timestamp, next.message_identifier)
), taken AS (
    UPDATE message_process AS process
       SET status = 1,
           processed_timestamp = greatest(
               clock_timestamp(),
               CASE WHEN process.processed_timestamp < '9999-01-01'
                    THEN process.processed_timestamp + interval '1 microsecond' END,
               (SELECT max(history.processed_timestamp) + interval '1 microsecond'
                  FROM message_history AS history
                 WHERE history.message_identifier = process.message_identifier
                   AND history.processed_timestamp < '9999-01-01'))
      FROM read
     WHERE process.message_identifier = read.message_identifier
       AND process.status = 3
       AND (read.place = 1 OR read.is_behind_separate IS NOT TRUE)
    RETURNING process.processed_timestamp, read.*
)
SELECT message_identifier, processed_timestamp, attempts, is_stored, source_system, source_entity,
       message_timestamp, effective_timestamp, refresh, options, data, file_path
  FROM taken
 ORDER BY place
