-- Makes a message that waits after a retry available now, with its attempts reset. A fence (migrations/sql/
-- cp_pickup.sql) ends, because the message may be older.
WITH moved AS (
    DELETE FROM cp_deferred AS message
     WHERE message.messageguid = %(guid)s
       AND message.lock_service IS NULL
    RETURNING message.*
), forgotten AS (
    DELETE FROM cp_retry AS retry
     USING moved
     WHERE retry.messageguid = moved.messageguid
), back AS (
    INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)
    SELECT messageguid, queuename, osid, ostype, created
      FROM moved
), unfenced AS (
    INSERT INTO cp_fence (queuename, checked_at, seconds)
    SELECT moved.queuename, clock_timestamp(), 0
      FROM moved
     WHERE EXISTS (SELECT FROM cp_fence AS fence WHERE fence.queuename = moved.queuename)
)
SELECT not_before
  FROM moved
