-- Records why a delivery was not sent, and lets its webhook rest, for as long as the receiver asks for if that is longer.
-- After max_attempts attempts, it is not due again.
-- Locks the webhook first, as its removal does: otherwise each could wait for the other.
WITH hook AS MATERIALIZED (
  SELECT webhook_id
    FROM webhook
   WHERE webhook_id = (SELECT webhook_id FROM webhook_delivery WHERE delivery_id = %(delivery_id)s)
     FOR NO KEY UPDATE),
     failed AS (
  UPDATE webhook_delivery
     SET error = %(error)s, next_at = CASE WHEN attempts < %(max_attempts)s THEN next_at END
    FROM hook
   WHERE delivery_id = %(delivery_id)s AND webhook_delivery.webhook_id = hook.webhook_id AND sent_at IS NULL
  RETURNING webhook_delivery.webhook_id)
UPDATE webhook
   SET error = %(error)s, rests_until = clock_timestamp() + make_interval(secs => greatest(%(rest)s, %(pause)s))
  FROM failed
 WHERE webhook.webhook_id = failed.webhook_id
