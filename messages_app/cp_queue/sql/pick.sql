-- Reserves the newest free message of all given queues, and collapses the other free ones of its object. Only
-- one candidate is tried: if another service gets it first, `checkguid` is empty and the candidate's queue is
-- returned. A locked candidate is not waited for, because it is already lost; nor are messages that others
-- collapse. Paused queues are skipped. If messages have become due, nothing is picked, because they are
-- brought back first. If a crash of the database loses a reservation, its message and the collapsed ones are
-- free again. Nothing is lost, so this commit does not wait for the disk.
WITH hasty AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
), asked AS (
    SELECT queuename
      FROM unnest(%(queues)s::text[]) AS given (queuename)
     WHERE NOT EXISTS (SELECT FROM cp_pause AS pause WHERE pause.queuename = given.queuename)
), seen AS (
    UPDATE cp_service
       SET last_poll = clock_timestamp(), queues = %(listed)s
     WHERE service = %(service)s
       AND last_poll < clock_timestamp() - interval '1 second'
), met AS (
    INSERT INTO cp_service (service, queues)
    SELECT %(service)s, %(listed)s
     WHERE NOT EXISTS (SELECT FROM cp_service WHERE service = %(service)s)
    ON CONFLICT (service) DO NOTHING
), due AS MATERIALIZED (
    SELECT %(waits_for_due)s
           AND EXISTS (SELECT
                         FROM asked
                        CROSS JOIN LATERAL (SELECT not_before
                                              FROM cp_deferred AS message
                                             WHERE message.queuename = asked.queuename
                                             ORDER BY message.queuename, message.not_before
                                             LIMIT 1) AS first
                        WHERE first.not_before <= clock_timestamp()) AS is_due
      FROM hasty
), candidate AS MATERIALIZED (
    SELECT newest.*
      FROM due, asked,
           LATERAL (SELECT messageguid, queuename, created
                      FROM ONLY oscpmqueue AS message
                     WHERE message.queuename = asked.queuename
                       AND message.lock_service IS NULL
                     ORDER BY message.created DESC, message.messageguid DESC
                     LIMIT 1) AS newest
     WHERE NOT due.is_due
     ORDER BY newest.created DESC, newest.messageguid DESC
     LIMIT 1
), held AS MATERIALIZED (
    SELECT message.messageguid
      FROM candidate
      JOIN ONLY oscpmqueue AS message ON message.messageguid = candidate.messageguid
     WHERE message.lock_service IS NULL
       FOR UPDATE OF message SKIP LOCKED
), reserved AS (
    UPDATE ONLY oscpmqueue AS message
       SET lock_service = %(service)s, checkguid = %(checkguid)s
      FROM held
     WHERE message.messageguid = held.messageguid
       AND message.lock_service IS NULL
    RETURNING message.*
), others AS MATERIALIZED (
    SELECT message.messageguid
      FROM reserved
      JOIN oscpmqueue AS message ON message.queuename = reserved.queuename AND message.osid = reserved.osid
     WHERE message.lock_service IS NULL
       AND message.messageguid <> reserved.messageguid
       FOR UPDATE OF message SKIP LOCKED
), collapsed AS (
    DELETE FROM oscpmqueue AS message
     USING others
     WHERE message.messageguid = others.messageguid
       AND message.lock_service IS NULL
    RETURNING message.messageguid
), forgotten AS (
    DELETE FROM cp_retry AS retry
     USING collapsed
     WHERE retry.messageguid = collapsed.messageguid
), noted AS (
    INSERT INTO cp_reservation (messageguid, checkguid, service, reserved_at, is_fenced, collapsed)
    SELECT messageguid, checkguid, lock_service, clock_timestamp(), %(is_fenced)s,
           (SELECT count(*) FROM collapsed)
      FROM reserved
    ON CONFLICT (messageguid) DO UPDATE
       SET checkguid = excluded.checkguid, service = excluded.service, reserved_at = excluded.reserved_at,
           is_fenced = excluded.is_fenced, collapsed = excluded.collapsed
)
SELECT due.is_due, candidate.queuename AS candidate_queue, reserved.messageguid, reserved.queuename,
       reserved.osid, reserved.ostype, reserved.created, reserved.checkguid,
       (SELECT count(*) FROM collapsed) AS collapsed
  FROM due
  LEFT JOIN candidate ON true
  LEFT JOIN reserved ON true
