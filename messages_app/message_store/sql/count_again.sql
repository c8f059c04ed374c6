-- Messages in work are few and are counted directly.
INSERT INTO message_count (source_system, source_entity, status, messages)
SELECT coalesce(source_system, ''), coalesce(source_entity, ''), status, count(*)
  FROM message_line
 WHERE status NOT IN (1, 3)
 GROUP BY 1, 2, 3
