-- Of these messages, the ones whose missing records have all arrived.
UPDATE message_process AS process
   SET next_attempt_timestamp = clock_timestamp()
 WHERE process.message_identifier = ANY (%(identifiers)s::text[])
   AND process.status = 2
   AND process.next_attempt_timestamp > statement_timestamp()
   AND NOT EXISTS (SELECT
                     FROM unresolved_reference AS reference
                    WHERE reference.message_identifier = process.message_identifier
                      AND NOT EXISTS (SELECT
                                        FROM target_record AS record
                                       WHERE record.entity = reference.entity
                                         AND record.record_key = reference.record_key))
