-- Removes records that this message wrote earlier and no longer contains.
DELETE FROM target_record AS record
 WHERE record.source_message = %(identifier)s
   AND (record.valid_from <> %(valid_from)s
        OR NOT EXISTS (SELECT
                         FROM unnest(%(entities)s::text[], %(keys)s::text[]) AS given (entity, record_key)
                        WHERE given.entity = record.entity
                          AND given.record_key = record.record_key))
RETURNING record.entity, record.record_key, record.valid_from
