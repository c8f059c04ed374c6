-- Makes a message that waits after a retry available now, with its attempts reset.
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
)
SELECT not_before
  FROM moved
