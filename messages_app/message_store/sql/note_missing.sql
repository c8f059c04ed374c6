WITH given AS (
    SELECT entity, record_key
      FROM unnest(%(entities)s::text[], %(keys)s::text[]) AS given (entity, record_key)
), gone AS (
    DELETE FROM unresolved_reference AS reference
     WHERE reference.message_identifier = %(identifier)s
       AND NOT EXISTS (SELECT FROM given
                        WHERE given.entity = reference.entity AND given.record_key = reference.record_key)
)
INSERT INTO unresolved_reference (message_identifier, entity, record_key)
SELECT %(identifier)s, entity, record_key FROM given
ON CONFLICT (message_identifier, entity, record_key) DO NOTHING
