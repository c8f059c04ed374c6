-- Puts back deliveries that were taken and not tried.
UPDATE webhook_delivery
   SET attempts = attempts - 1, next_at = clock_timestamp()
 WHERE delivery_id = ANY (%(deliveries)s) AND sent_at IS NULL
