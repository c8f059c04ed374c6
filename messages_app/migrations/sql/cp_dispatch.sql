-- Records the result of a message from the service that holds it, and its outcome in the log. The message is removed,
-- unless it is retried: `delays` has the seconds to wait after each attempt. Then its attempts are counted, and it
-- becomes available when it is due or, after the last attempt, when an operator sends it on. No row: refused, and
-- nothing was changed. Plans are kept and settings are as in cp_pickup.sql.
CREATE FUNCTION cp_dispatch_message(
    guid text, caller text, reason text, token text, is_for_service boolean, by_actor text, ended_as text,
    delays float8[]
)
RETURNS TABLE (outcome text, attempts int, not_before timestamptz)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_incremental_sort = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_variable
DECLARE
  ended oscpmqueue;
  released cp_reservation;
BEGIN
  DELETE FROM oscpmqueue AS message
   WHERE message.messageguid = guid
     AND message.lock_service IS NOT DISTINCT FROM caller
     -- Not EXISTS: with an empty queue its plan would read all reservations.
     AND CASE WHEN NOT is_for_service
               AND (SELECT reservation.is_fenced
                      FROM cp_reservation AS reservation
                     WHERE reservation.messageguid = message.messageguid
                       AND reservation.checkguid = message.checkguid)
              THEN upper(message.checkguid) IS NOT DISTINCT FROM token
              ELSE token IS NULL OR upper(message.checkguid) = token
          END
  RETURNING message.* INTO ended;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  DELETE FROM cp_reservation AS reservation WHERE reservation.messageguid = guid RETURNING reservation.* INTO released;
  IF released.checkguid IS DISTINCT FROM ended.checkguid THEN
    released := NULL;
  END IF;
  IF delays IS NULL THEN
    outcome := ended_as;
    DELETE FROM cp_retry AS retry WHERE retry.messageguid = guid RETURNING retry.attempts INTO attempts;
    attempts := coalesce(attempts, 0);
  ELSE
    INSERT INTO cp_retry AS retry (messageguid, attempts)
    VALUES (guid, 1)
    ON CONFLICT (messageguid) DO UPDATE SET attempts = retry.attempts + 1
    RETURNING retry.attempts INTO attempts;
    not_before := clock_timestamp() + delays[attempts] * interval '1 second';
    outcome := CASE WHEN not_before IS NULL THEN 'parked' ELSE 'deferred' END;
    INSERT INTO cp_deferred (messageguid, queuename, osid, ostype, created, not_before)
    VALUES (ended.messageguid, ended.queuename, ended.osid, ended.ostype, ended.created, not_before);
  END IF;
  INSERT INTO cp_dispatch (at, messageguid, queuename, osid, ostype, created, service, reason, outcome, reserved_at,
                           collapsed, attempts, actor)
  VALUES (clock_timestamp(), ended.messageguid, ended.queuename, ended.osid, ended.ostype, ended.created,
          ended.lock_service, reason, outcome, released.reserved_at, coalesce(released.collapsed, 0), attempts,
          by_actor);
  RETURN NEXT;
END $$;
