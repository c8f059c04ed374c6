-- Records the result of a message from the service that holds it: migrations/sql/cp_dispatch.sql.
SELECT outcome, attempts, not_before
  FROM cp_dispatch_message(%(guid)s, %(service)s, %(reason)s, %(token)s, %(is_for_service)s, %(actor)s, %(ended_as)s,
                           %(delays)s)
