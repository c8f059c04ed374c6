SELECT source_system, source_entity, status, sum(messages)::bigint AS messages
  FROM (SELECT source_system, source_entity, status, messages FROM message_count
         UNION ALL
        SELECT source_system, source_entity, status, change FROM message_count_change
         UNION ALL
        SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, 1
          FROM message_line
         WHERE status IN (1, 3)) AS part
 GROUP BY source_system, source_entity, status
HAVING sum(messages) <> 0
 ORDER BY source_system, source_entity, status
