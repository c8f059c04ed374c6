-- Rewrites each line from its rows. If the start of work is unknown, it is now.
INSERT INTO message_line AS line
       (message_identifier, message_timestamp, source_system, source_entity, status, next_attempt_timestamp,
        claimed_at, has_store, has_process)
SELECT message_identifier,
       coalesce(store.message_timestamp, store.effective_timestamp, process.processed_timestamp,
                clock_timestamp()),
       store.source_system, store.source_entity,
       CASE WHEN process.message_identifier IS NOT NULL THEN coalesce(process.status, 0)
            WHEN store.message_identifier IS NOT NULL THEN 0 END,
       process.next_attempt_timestamp,
       CASE WHEN process.status IN (1, 3) THEN clock_timestamp() END,
       store.message_identifier IS NOT NULL, process.message_identifier IS NOT NULL
  FROM unnest(%(identifiers)s::text[]) AS wrong (message_identifier)
  LEFT JOIN message_store AS store USING (message_identifier)
  LEFT JOIN message_process AS process USING (message_identifier)
ON CONFLICT (message_identifier) DO UPDATE
   SET message_timestamp = CASE WHEN excluded.has_store THEN excluded.message_timestamp
                                ELSE line.message_timestamp END,
       source_system = CASE WHEN excluded.has_store THEN excluded.source_system ELSE line.source_system END,
       source_entity = CASE WHEN excluded.has_store THEN excluded.source_entity ELSE line.source_entity END,
       status = excluded.status,
       next_attempt_timestamp = excluded.next_attempt_timestamp,
       claimed_at = CASE WHEN excluded.claimed_at IS NOT NULL
                         THEN coalesce(line.claimed_at, excluded.claimed_at) END,
       has_store = excluded.has_store,
       has_process = excluded.has_process
