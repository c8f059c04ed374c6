-- One row per message in error, not muted, that is not counted since its last attempt, of the newest `fence` ones: its key
-- and the columns of a failure. The entity is the service.
SELECT line.message_identifier, line.at, coalesce(line.source_entity, ''), '', coalesce(line.source_system, ''),
       line.status::text, coalesce(process.error_message, '')
  FROM (SELECT message_identifier, source_entity, source_system, status,
               coalesce(last_ended_at, message_timestamp) AS at
          FROM message_line
         WHERE status >= 20
           AND muted_at IS NULL
         ORDER BY message_timestamp DESC, number DESC
         LIMIT %(fence)s) AS line
  LEFT JOIN LATERAL (SELECT error_message
                       FROM message_process
                      WHERE message_process.message_identifier = line.message_identifier
                      LIMIT 1) AS process ON true
 WHERE isfinite(line.at)
   AND NOT EXISTS (SELECT
                     FROM failure_item
                    WHERE failure_item.store = %(store)s
                      AND failure_item.item_key = line.message_identifier
                      AND failure_item.at >= line.at)
 LIMIT %(most)s
