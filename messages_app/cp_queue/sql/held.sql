-- The messages that a service holds, optionally since a given time; limited in number, and in the order of
-- their keys, so that two calls do not deadlock.
SELECT messageguid
  FROM (SELECT message.messageguid
          FROM oscpmqueue AS message
          LEFT JOIN cp_reservation AS reservation
                 ON reservation.messageguid = message.messageguid
                AND reservation.checkguid = message.checkguid
         WHERE message.lock_service = %(service)s
           AND (%(within)s::text[] IS NULL OR message.queuename = ANY (%(within)s))
           AND (%(before)s::timestamptz IS NULL
                OR coalesce(reservation.reserved_at <= %(before)s, true))
         LIMIT %(limit)s) AS held
 ORDER BY messageguid
