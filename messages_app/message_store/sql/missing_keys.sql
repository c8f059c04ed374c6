-- One row per missing record beyond a place, by entity and key: how many messages refer to it, up to the fence; how many
-- of these wait, and gave up; and whether a record of that key has come. The keys are found one by one by the index, so
-- a key that very many messages lack costs no more than another.
WITH RECURSIVE keys AS (
    (SELECT reference.entity, reference.record_key, 1 AS place
       FROM unresolved_reference AS reference
      WHERE (reference.entity, reference.record_key) > (%(entity)s, %(record_key)s)
      ORDER BY reference.entity, reference.record_key
      LIMIT 1)
     UNION ALL
    SELECT next.entity, next.record_key, keys.place + 1
      FROM keys
     CROSS JOIN LATERAL (SELECT reference.entity, reference.record_key
                           FROM unresolved_reference AS reference
                          WHERE (reference.entity, reference.record_key) > (keys.entity, keys.record_key)
                          ORDER BY reference.entity, reference.record_key
                          LIMIT 1) AS next
      WHERE keys.place < %(most)s
        AND (%(only)s::text IS NULL OR next.entity = %(only)s)
)
SELECT keys.entity, keys.record_key, found.messages, found.waiting, found.given_up,
       EXISTS (SELECT
                 FROM target_record AS record
                WHERE record.entity = keys.entity
                  AND record.record_key = keys.record_key) AS has_come
  FROM keys
 CROSS JOIN LATERAL (SELECT count(*) AS messages,
                            count(*) FILTER (WHERE part.status = %(waiting)s) AS waiting,
                            count(*) FILTER (WHERE part.status = %(given_up)s) AS given_up
                       FROM (SELECT (SELECT process.status
                                       FROM message_process AS process
                                      WHERE process.message_identifier = reference.message_identifier) AS status
                               FROM unresolved_reference AS reference
                              WHERE reference.entity = keys.entity
                                AND reference.record_key = keys.record_key
                              ORDER BY reference.message_identifier
                              LIMIT %(fence)s) AS part) AS found
 WHERE %(only)s::text IS NULL OR keys.entity = %(only)s
 ORDER BY keys.entity, keys.record_key
