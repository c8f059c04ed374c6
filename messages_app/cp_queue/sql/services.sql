-- The services that have polled or hold messages, with the time of their last poll and of their longest
-- reservation. Reservations made outside the console have no time.
WITH RECURSIVE holder AS (
    (SELECT lock_service FROM oscpmqueue WHERE lock_service IS NOT NULL ORDER BY lock_service LIMIT 1)
    UNION ALL
    SELECT (SELECT message.lock_service
              FROM oscpmqueue AS message
             WHERE message.lock_service > holder.lock_service
             ORDER BY message.lock_service
             LIMIT 1)
      FROM holder
     WHERE holder.lock_service IS NOT NULL
), named AS (
    (SELECT lock_service AS service FROM holder WHERE lock_service IS NOT NULL LIMIT %(most)s)
    UNION
    (SELECT service FROM cp_service ORDER BY service LIMIT %(most)s)
)
SELECT named.service, known.first_poll, known.last_poll, coalesce(known.queues, '') AS queues, held.reserved,
       held.since_unknown, longest.reserved_at AS longest_since,
       extract(epoch FROM clock_timestamp() - longest.reserved_at)::float8 AS longest_seconds,
       held.reserved > 0
       AND coalesce(known.last_poll < clock_timestamp() - %(silent)s * interval '1 second', true)
         AS is_probably_dead,
       (SELECT coalesce(sum(lost), 0)
          FROM cp_lost_pickup AS pickup
         WHERE pickup.queuename = ANY(string_to_array(known.queues, ','))
           AND pickup.hour > clock_timestamp() - interval '1 hour'
           AND pickup.service = named.service) AS lost
  FROM named
  LEFT JOIN cp_service AS known ON known.service = named.service
 CROSS JOIN LATERAL (
       SELECT count(*) AS reserved, count(*) FILTER (WHERE reserved_at IS NULL) AS since_unknown
         FROM (SELECT (SELECT reservation.reserved_at
                         FROM cp_reservation AS reservation
                        WHERE reservation.messageguid = message.messageguid
                          AND reservation.checkguid = message.checkguid) AS reserved_at
                 FROM oscpmqueue AS message
                WHERE message.lock_service = named.service
                LIMIT %(fence)s) AS one) AS held
  LEFT JOIN LATERAL (
       SELECT reservation.reserved_at
         FROM cp_reservation AS reservation
         JOIN oscpmqueue AS message
           ON message.messageguid = reservation.messageguid AND message.checkguid = reservation.checkguid
        WHERE reservation.service >= named.service
          AND reservation.service <= named.service
        ORDER BY reservation.service, reservation.reserved_at
        LIMIT 1) AS longest ON true
 ORDER BY is_probably_dead DESC, held.reserved DESC, named.service
 LIMIT %(most)s
