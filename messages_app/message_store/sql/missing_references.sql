SELECT entity, record_key
  FROM unnest(%(entities)s::text[], %(keys)s::text[]) AS asked (entity, record_key)
 WHERE NOT EXISTS (SELECT
                     FROM target_record AS record
                    WHERE record.entity = asked.entity
                      AND record.record_key = asked.record_key)
