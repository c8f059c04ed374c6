-- One row per archived message of the given ids that conflicts with a live message, with whether the ids are
-- equal; otherwise correlation id and source system are. Messages are looked up one by one, because for a
-- join the planner might read a whole table.
SELECT chosen.id, taken.by_id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT correlation_id, source_system
                       FROM archive_message
                      WHERE archive_message.msg_id = chosen.id
                     UNION ALL
                     SELECT correlation_id, source_system
                       FROM cold_message
                      WHERE cold_message.msg_id = chosen.id
                      LIMIT 1) AS archived
 CROSS JOIN LATERAL (SELECT (SELECT msg_id FROM message WHERE message.msg_id = chosen.id) IS NOT NULL AS by_id,
                            (SELECT msg_id
                               FROM message
                              WHERE message.correlation_id = archived.correlation_id
                                AND message.source_system = archived.source_system
                              LIMIT 1) IS NOT NULL AS by_correlation) AS taken
 WHERE taken.by_id
    OR taken.by_correlation
