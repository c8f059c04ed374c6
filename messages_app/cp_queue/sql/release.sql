-- Frees the reserved messages that a reset names; a condition without a value matches all. Messages that are
-- free, or were dispatched meanwhile, are not changed. They are locked in the order of their keys, so that a reset and
-- a dispatch of several messages do not deadlock. The freed ones may be older than a fence (migrations/sql/
-- cp_pickup.sql), which therefore ends.
WITH held AS MATERIALIZED (
    SELECT message.messageguid
      FROM oscpmqueue AS message
     WHERE message.lock_service IS NOT NULL
       AND (%(guid)s::text IS NULL OR message.messageguid = %(guid)s)
       AND (%(service)s::text IS NULL OR message.lock_service = %(service)s)
       AND (%(queue)s::text IS NULL OR message.queuename = %(queue)s)
       AND (%(within)s::text[] IS NULL OR message.queuename = ANY (%(within)s))
       AND (%(osid)s::int IS NULL OR message.osid = %(osid)s)
       AND (%(ostype)s::int IS NULL OR message.ostype = %(ostype)s)
       AND (%(created_before)s::timestamptz IS NULL OR message.created < %(created_before)s)
     ORDER BY message.messageguid
       FOR UPDATE
), freed AS (
    UPDATE oscpmqueue AS message
       SET lock_service = NULL, checkguid = NULL
      FROM held
     WHERE message.messageguid = held.messageguid
       AND message.lock_service IS NOT NULL
    RETURNING message.messageguid, message.queuename
), ended AS (
    DELETE FROM cp_reservation AS reservation
     USING freed
     WHERE reservation.messageguid = freed.messageguid
), unfenced AS (
    INSERT INTO cp_fence (queuename, checked_at, seconds)
    SELECT DISTINCT freed.queuename, clock_timestamp(), 0
      FROM freed
     WHERE EXISTS (SELECT FROM cp_fence AS fence WHERE fence.queuename = freed.queuename)
)
SELECT messageguid
  FROM freed
