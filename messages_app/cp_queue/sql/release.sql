-- Frees the reserved messages that a reset names; a condition without a value matches all. Messages that are
-- free, or were dispatched meanwhile, are not changed.
WITH freed AS (
    UPDATE oscpmqueue AS message
       SET lock_service = NULL, checkguid = NULL
     WHERE message.lock_service IS NOT NULL
       AND (%(guid)s::text IS NULL OR message.messageguid = %(guid)s)
       AND (%(service)s::text IS NULL OR message.lock_service = %(service)s)
       AND (%(queue)s::text IS NULL OR message.queuename = %(queue)s)
       AND (%(within)s::text[] IS NULL OR message.queuename = ANY (%(within)s))
       AND (%(osid)s::int IS NULL OR message.osid = %(osid)s)
       AND (%(ostype)s::int IS NULL OR message.ostype = %(ostype)s)
       AND (%(created_before)s::timestamptz IS NULL OR message.created < %(created_before)s)
    RETURNING message.messageguid
), ended AS (
    DELETE FROM cp_reservation AS reservation
     USING freed
     WHERE reservation.messageguid = freed.messageguid
)
SELECT messageguid
  FROM freed
