-- Ends the entity's records of this time that are not this message's. The refresh is kept for late messages.
WITH remembered AS (
    INSERT INTO entity_refresh (entity, effective_timestamp, source_message, message_timestamp)
    VALUES (%(entity)s, %(valid_from)s, %(identifier)s, %(message_timestamp)s)
    ON CONFLICT (entity, effective_timestamp, source_message) DO NOTHING
)
UPDATE target_record AS record
   SET valid_to = %(valid_from)s
 WHERE record.entity = %(entity)s
   AND (record.valid_to IS NULL OR record.valid_to > %(valid_from)s)
   AND record.valid_from <= %(valid_from)s
   AND record.source_message <> %(identifier)s
   AND (record.valid_from, record.message_timestamp, record.source_message)
       < (%(valid_from)s, %(message_timestamp)s, %(identifier)s)
