-- Messages that lacked only these records, locked in one order.
WITH chosen AS MATERIALIZED (
    SELECT DISTINCT reference.message_identifier
      FROM unnest(%(entities)s::text[], %(keys)s::text[]) AS come (entity, record_key)
      JOIN unresolved_reference AS reference USING (entity, record_key)
      JOIN message_process AS waiting
        ON waiting.message_identifier = reference.message_identifier
       AND waiting.status = 2
       AND waiting.next_attempt_timestamp > statement_timestamp()
     WHERE NOT EXISTS (SELECT
                         FROM unresolved_reference AS other
                        WHERE other.message_identifier = reference.message_identifier
                          AND NOT EXISTS (SELECT
                                            FROM target_record AS record
                                           WHERE record.entity = other.entity
                                             AND record.record_key = other.record_key))
     ORDER BY reference.message_identifier
     LIMIT %(limit)s
), held AS (
    SELECT process.message_identifier
      FROM message_process AS process
      JOIN chosen USING (message_identifier)
     ORDER BY process.message_identifier
       FOR UPDATE OF process
)
UPDATE message_process AS process
   SET next_attempt_timestamp = clock_timestamp()
  FROM held
 WHERE process.message_identifier = held.message_identifier
   AND process.status = 2
   AND process.next_attempt_timestamp > statement_timestamp()
