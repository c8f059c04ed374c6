-- One row per archived message of the given ids that the hub has again: its id, its correlation id and source
-- system, or one of its external calls, and which of these. Looked up one by one, because a join might read a
-- whole table.
SELECT archived.msg_id,
       CASE WHEN live.same_id IS NOT NULL THEN %(id_live)s
            WHEN live.same_correlation IS NOT NULL THEN %(correlation_live)s
            ELSE %(call_live)s END
  FROM ((SELECT msg_id, correlation_id, source_system, true AS in_tables
           FROM archive_message WHERE msg_id = ANY (%(ids)s))
        UNION ALL
        (SELECT msg_id, correlation_id, source_system, false
           FROM cold_message WHERE msg_id = ANY (%(ids)s))) AS archived
 CROSS JOIN LATERAL (
   SELECT (SELECT msg_id FROM message WHERE message.msg_id = archived.msg_id) AS same_id,
          (SELECT msg_id
             FROM message
            WHERE message.correlation_id = archived.correlation_id
              AND message.source_system = archived.source_system
            LIMIT 1) AS same_correlation,
          CASE WHEN archived.in_tables THEN
            (SELECT again.call_id
               FROM archive_external_call AS made
              CROSS JOIN LATERAL (SELECT call_id
                                    FROM external_call
                                   WHERE external_call.operation_name = made.operation_name
                                     AND external_call.entity_id = made.entity_id
                                   LIMIT 1) AS again
              WHERE made.msg_id = archived.msg_id
              LIMIT 1) END AS same_call
   OFFSET 0) AS live
 WHERE coalesce(live.same_id, live.same_correlation, live.same_call) IS NOT NULL
