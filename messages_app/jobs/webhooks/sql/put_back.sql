-- Puts back deliveries that were taken and not tried, unless another sender has taken them after that.
UPDATE webhook_delivery AS delivery
   SET attempts = delivery.attempts - 1, next_at = clock_timestamp()
  FROM unnest(%(deliveries)s::bigint[], %(attempts)s::int[]) AS untried (delivery_id, attempts)
 WHERE delivery.delivery_id = untried.delivery_id
   AND delivery.attempts = untried.attempts
   AND delivery.sent_at IS NULL
