-- Records the results of several messages from the service that holds them; `place` is the position in the lists. A
-- refused one has no row. In the order of the keys, so that two calls do not deadlock.
SELECT item.place, dispatched.outcome, dispatched.attempts, dispatched.not_before
  FROM (SELECT *
          FROM unnest(%(guids)s::text[], %(reasons)s::text[], %(tokens)s::text[], %(ends)s::text[],
                      %(retried)s::boolean[])
               WITH ORDINALITY AS given (guid, reason, token, ended_as, is_retried, place)
         ORDER BY given.guid, given.place) AS item
 CROSS JOIN LATERAL cp_dispatch_message(item.guid, %(service)s, item.reason, item.token, %(is_for_service)s,
                                        %(actor)s, item.ended_as,
                                        CASE WHEN item.is_retried THEN %(delays)s::float8[] END) AS dispatched
