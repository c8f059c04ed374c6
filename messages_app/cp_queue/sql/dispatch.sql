-- Records the result of a message from the service that holds it, and its outcome in the log. The message is
-- removed, unless it is retried. Then its attempts are counted, and it becomes available when it is due or,
-- after the last attempt, when an operator sends it on.
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
                THEN upper(message.checkguid) IS NOT DISTINCT FROM %(token)s
                ELSE %(token)s::text IS NULL OR upper(message.checkguid) = %(token)s
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
       AND NOT %(is_retry)s
    RETURNING retry.attempts
), tried AS (
    INSERT INTO cp_retry AS retry (messageguid, attempts)
    SELECT messageguid, 1
      FROM ended
     WHERE %(is_retry)s
    ON CONFLICT (messageguid) DO UPDATE
       SET attempts = retry.attempts + 1
    RETURNING attempts
), kept AS (
    INSERT INTO cp_deferred (messageguid, queuename, osid, ostype, created, not_before)
    SELECT ended.messageguid, ended.queuename, ended.osid, ended.ostype, ended.created,
           clock_timestamp() + (%(delays)s::float8[])[tried.attempts] * interval '1 second'
      FROM ended, tried
    RETURNING not_before
)
INSERT INTO cp_dispatch (at, messageguid, queuename, osid, ostype, created, service, reason, outcome, reserved_at,
                         collapsed, attempts, actor)
SELECT clock_timestamp(), ended.messageguid, ended.queuename, ended.osid, ended.ostype, ended.created,
       ended.lock_service, %(reason)s,
       CASE WHEN NOT %(is_retry)s THEN %(ended_as)s
            WHEN kept.not_before IS NULL THEN %(parked)s
            ELSE %(deferred)s
        END,
       released.reserved_at, coalesce(released.collapsed, 0),
       coalesce(tried.attempts, forgotten.attempts, 0), %(actor)s
  FROM ended
  LEFT JOIN released ON released.checkguid = ended.checkguid
  LEFT JOIN forgotten ON true
  LEFT JOIN tried ON true
  LEFT JOIN kept ON true
RETURNING outcome, attempts, (SELECT not_before FROM kept)
