-- What a service holds, and held at a time if one is given; some at a time, and in the order of their keys, so that
-- two who take the same do not wait for each other crosswise.
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
