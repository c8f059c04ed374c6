-- These messages lack exactly the given records.
WITH given AS (
    SELECT message_identifier, entity, record_key
      FROM unnest(%(of)s::text[], %(entities)s::text[], %(keys)s::text[])
           AS given (message_identifier, entity, record_key)
), gone AS (
    DELETE FROM unresolved_reference AS reference
     WHERE reference.message_identifier = ANY (%(identifiers)s::text[])
       AND NOT EXISTS (SELECT FROM given
                        WHERE given.message_identifier = reference.message_identifier
                          AND given.entity = reference.entity
                          AND given.record_key = reference.record_key)
)
INSERT INTO unresolved_reference (message_identifier, entity, record_key)
SELECT message_identifier, entity, record_key FROM given
ON CONFLICT (message_identifier, entity, record_key) DO NOTHING
