-- The versions of the given records, in order. Looked up one by one.
SELECT asked.entity, asked.record_key, version.valid_from, version.valid_to, version.data
  FROM (SELECT DISTINCT entity, record_key
          FROM unnest(%(entities)s::text[], %(keys)s::text[]) AS given (entity, record_key)) AS asked,
       LATERAL (SELECT valid_from, valid_to, data
                  FROM target_record AS record
                 WHERE record.entity = asked.entity
                   AND record.record_key = asked.record_key
                 ORDER BY valid_from DESC
                 LIMIT %(most)s) AS version
 ORDER BY asked.entity, asked.record_key, version.valid_from
