-- Remove a message that its service holds, and say in the log what became of it.
WITH ended AS (
    DELETE FROM oscpmqueue AS message
     WHERE message.messageguid = %(guid)s
       AND message.lock_service = %(service)s
       AND CASE WHEN EXISTS (SELECT
                               FROM cp_reservation AS reservation
                              WHERE reservation.messageguid = message.messageguid
                                AND reservation.checkguid = message.checkguid
                                AND reservation.is_fenced
                                AND NOT %(is_for_service)s)
                THEN message.checkguid IS NOT DISTINCT FROM %(token)s
                ELSE %(token)s::text IS NULL OR message.checkguid = %(token)s
            END
    RETURNING message.*
), released AS (
    DELETE FROM cp_reservation AS reservation
     USING ended
     WHERE reservation.messageguid = ended.messageguid
    RETURNING reservation.*
), forgotten AS (
    DELETE FROM cp_retry AS retry
     USING ended
     WHERE retry.messageguid = ended.messageguid
    RETURNING retry.attempts
)
INSERT INTO cp_dispatch (at, messageguid, queuename, osid, ostype, created, service, reason, outcome, reserved_at,
                         collapsed, attempts, actor)
SELECT clock_timestamp(), ended.messageguid, ended.queuename, ended.osid, ended.ostype, ended.created,
       ended.lock_service, %(reason)s, %(outcome)s, released.reserved_at, coalesce(released.collapsed, 0),
       coalesce((SELECT attempts FROM forgotten), 0), %(actor)s
  FROM ended
  LEFT JOIN released ON released.checkguid = ended.checkguid
RETURNING outcome, attempts, NULL::timestamptz AS not_before
