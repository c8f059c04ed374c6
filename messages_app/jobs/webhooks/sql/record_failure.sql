-- Records why a delivery was not sent, and lets its webhook rest. After max_attempts attempts, it is not due again.
WITH failed AS (
  UPDATE webhook_delivery
     SET error = %(error)s, next_at = CASE WHEN attempts < %(max_attempts)s THEN next_at END
   WHERE delivery_id = %(delivery_id)s AND sent_at IS NULL
  RETURNING webhook_id)
UPDATE webhook
   SET error = %(error)s, rests_until = clock_timestamp() + make_interval(secs => %(rest)s)
  FROM failed
 WHERE webhook.webhook_id = failed.webhook_id
