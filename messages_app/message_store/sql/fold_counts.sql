-- The limit holds for any plan: as an array, the inner query runs once.
WITH taken AS (
    DELETE FROM message_count_change
     WHERE change_id = ANY (ARRAY(SELECT change_id FROM message_count_change ORDER BY change_id LIMIT %(limit)s
                                     FOR UPDATE SKIP LOCKED))
    RETURNING source_system, source_entity, status, change
)
INSERT INTO message_count AS count (source_system, source_entity, status, messages)
SELECT source_system, source_entity, status, sum(change)
  FROM taken
 GROUP BY source_system, source_entity, status
 ORDER BY source_system, source_entity, status
ON CONFLICT (source_system, source_entity, status) DO UPDATE
   SET messages = count.messages + excluded.messages
