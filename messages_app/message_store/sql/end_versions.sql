-- These versions and the one before each: they end where the next begins, or a later refresh of the entity did.
WITH given AS (
    SELECT *
      FROM unnest(%(entities)s::text[], %(keys)s::text[], %(times)s::timestamptz[])
           AS given (entity, record_key, valid_from)
), touched AS (
    SELECT entity, record_key, valid_from FROM given
     UNION
    SELECT given.entity, given.record_key, before.valid_from
      FROM given,
           LATERAL (SELECT record.valid_from
                      FROM target_record AS record
                     WHERE record.entity = given.entity
                       AND record.record_key = given.record_key
                       AND record.valid_from < given.valid_from
                     ORDER BY record.valid_from DESC
                     LIMIT 1) AS before
), ends AS (
    SELECT record.entity, record.record_key, record.valid_from,
           least((SELECT min(next.valid_from)
                    FROM target_record AS next
                   WHERE next.entity = record.entity
                     AND next.record_key = record.record_key
                     AND next.valid_from > record.valid_from),
                 (SELECT refresh.effective_timestamp
                    FROM entity_refresh AS refresh
                   WHERE refresh.entity = record.entity
                     AND refresh.effective_timestamp >= record.valid_from
                     AND (refresh.effective_timestamp, refresh.message_timestamp, refresh.source_message)
                         > (record.valid_from, record.message_timestamp, record.source_message)
                     AND refresh.source_message <> record.source_message
                   ORDER BY refresh.effective_timestamp
                   LIMIT 1)) AS valid_to
      FROM touched
      JOIN target_record AS record USING (entity, record_key, valid_from)
)
UPDATE target_record AS record
   SET valid_to = ends.valid_to
  FROM ends
 WHERE record.entity = ends.entity
   AND record.record_key = ends.record_key
   AND record.valid_from = ends.valid_from
   AND record.valid_to IS DISTINCT FROM ends.valid_to
