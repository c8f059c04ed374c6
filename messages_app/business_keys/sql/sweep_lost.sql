-- One row: the number of values that were deleted of the next messages with values, because these messages are in no
-- table and no file, and whether there are further ones. After the last message, it begins again with the first.
WITH slice AS (
  SELECT msg_id
    FROM (SELECT msg_id
            FROM business_key
           WHERE msg_id > (SELECT swept FROM business_key_pass)
           ORDER BY msg_id
           LIMIT %(most)s) AS next
   GROUP BY msg_id
), lost AS (
  SELECT msg_id
    FROM slice
   WHERE NOT EXISTS (SELECT FROM message WHERE message.msg_id = slice.msg_id)
     AND NOT EXISTS (SELECT FROM archive_message WHERE archive_message.msg_id = slice.msg_id)
     AND NOT EXISTS (SELECT FROM cold_message WHERE cold_message.msg_id = slice.msg_id)
), gone AS (
  DELETE FROM business_key
   USING lost
   WHERE business_key.msg_id = lost.msg_id
  RETURNING 1
), moved AS (
  UPDATE business_key_pass
     SET swept = coalesce((SELECT max(msg_id) FROM slice), 0)
)
SELECT (SELECT count(*) FROM gone), EXISTS (SELECT FROM slice)
