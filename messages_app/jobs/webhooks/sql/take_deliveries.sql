-- Takes deliveries that are due, so that no other sender takes them too. Each is due again after a pause, which
-- doubles with every attempt, unless it is recorded as sent before that.
-- The limit holds for any plan: as an array, the inner query runs once.
UPDATE webhook_delivery
   SET attempts = attempts + 1,
       next_at = clock_timestamp() + make_interval(secs => %(pause)s * power(2, least(attempts, 10)))
 WHERE delivery_id = ANY (ARRAY(SELECT delivery_id
                                  FROM webhook_delivery
                                  JOIN webhook USING (webhook_id)
                                 WHERE next_at <= clock_timestamp()
                                   AND enabled
                                   AND (rests_until IS NULL OR rests_until <= clock_timestamp())
                                 ORDER BY next_at, delivery_id
                                 LIMIT %(most)s
                                   FOR UPDATE OF webhook_delivery SKIP LOCKED))
RETURNING delivery_id, attempts
