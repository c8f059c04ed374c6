-- The entities one by one, by the index; of each no more rows than the fence.
WITH RECURSIVE entities AS (
    (SELECT entity, 1 AS place FROM unresolved_reference ORDER BY entity LIMIT 1)
     UNION ALL
    SELECT (SELECT next.entity FROM unresolved_reference AS next
             WHERE next.entity > entities.entity ORDER BY next.entity LIMIT 1),
           place + 1
      FROM entities
     WHERE entities.entity IS NOT NULL
       AND place < %(most)s
)
SELECT entities.entity, found.count AS references, found.given_up, found.sample
  FROM entities,
       LATERAL (SELECT count(*) AS count,
                       count(*) FILTER (WHERE place <= 1000
                                          AND (SELECT process.status FROM message_process AS process
                                                WHERE process.message_identifier = part.message_identifier)
                                              = %(given_up)s) AS given_up,
                       (array_agg(DISTINCT record_key) FILTER (WHERE place <= 1000))[1:5] AS sample
                  FROM (SELECT message_identifier, record_key,
                               row_number() OVER (ORDER BY record_key, message_identifier) AS place
                          FROM (SELECT message_identifier, record_key
                                  FROM unresolved_reference AS reference
                                 WHERE reference.entity = entities.entity
                                 ORDER BY record_key, message_identifier
                                 LIMIT %(fence)s) AS fenced) AS part) AS found
 WHERE entities.entity IS NOT NULL
