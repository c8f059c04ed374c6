-- Puts back deliveries that were taken and not tried, unless another sender has taken them after that. Deliveries
-- that are being removed are passed over: this must not wait for a lock while it holds others.
UPDATE webhook_delivery
   SET attempts = webhook_delivery.attempts - 1, next_at = clock_timestamp()
 WHERE delivery_id IN (SELECT delivery.delivery_id
                         FROM unnest(%(deliveries)s::bigint[], %(attempts)s::int[]) AS untried (delivery_id, attempts)
                         JOIN webhook_delivery AS delivery
                           ON delivery.delivery_id = untried.delivery_id
                          AND delivery.attempts = untried.attempts
                          AND delivery.sent_at IS NULL
                          FOR UPDATE OF delivery SKIP LOCKED)
