-- The messages of the store that match the key: by their identifier, by a record that they wrote, or by a
-- record that they wait for. A loose index scan visits all entities, because the indexes begin with them.
-- OFFSET 0 prevents a join that would read the whole table, because the planner cannot estimate the number of
-- entities.
WITH RECURSIVE written AS (
    (SELECT entity FROM target_record ORDER BY entity LIMIT 1)
    UNION ALL
    SELECT (SELECT entity FROM target_record WHERE entity > written.entity ORDER BY entity LIMIT 1)
      FROM written
     WHERE written.entity IS NOT NULL
), awaited AS (
    (SELECT entity FROM unresolved_reference ORDER BY entity LIMIT 1)
    UNION ALL
    SELECT (SELECT entity FROM unresolved_reference WHERE entity > awaited.entity ORDER BY entity LIMIT 1)
      FROM awaited
     WHERE awaited.entity IS NOT NULL
)
SELECT message_identifier FROM message_line WHERE message_identifier = %(key)s
UNION
SELECT record.source_message
  FROM written
 CROSS JOIN unnest(%(record_keys)s::text[]) AS given (record_key)
 CROSS JOIN LATERAL (SELECT source_message
                       FROM target_record
                      WHERE target_record.entity = written.entity
                        AND target_record.record_key = given.record_key
                     OFFSET 0) AS record
UNION
SELECT reference.message_identifier
  FROM awaited
 CROSS JOIN unnest(%(record_keys)s::text[]) AS given (record_key)
 CROSS JOIN LATERAL (SELECT message_identifier
                       FROM unresolved_reference
                      WHERE unresolved_reference.entity = awaited.entity
                        AND unresolved_reference.record_key = given.record_key
                     OFFSET 0) AS reference
 ORDER BY 1
