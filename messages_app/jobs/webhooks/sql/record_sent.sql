-- Records that a delivery was sent, and removes its messages. Locks the webhook first, as its removal does: otherwise
-- each could wait for the other.
WITH hook AS MATERIALIZED (
  SELECT webhook_id
    FROM webhook
   WHERE webhook_id = (SELECT webhook_id FROM webhook_delivery WHERE delivery_id = %(delivery_id)s)
     FOR NO KEY UPDATE),
     sent AS (
  UPDATE webhook_delivery
     SET sent_at = clock_timestamp(), next_at = NULL, error = ''
    FROM hook
   WHERE delivery_id = %(delivery_id)s AND webhook_delivery.webhook_id = hook.webhook_id
  RETURNING delivery_id, webhook_delivery.webhook_id),
     removed AS (
  DELETE FROM webhook_message USING sent WHERE webhook_message.delivery_id = sent.delivery_id)
UPDATE webhook
   SET delivered_at = clock_timestamp(), error = '', rests_until = NULL
  FROM sent
 WHERE webhook.webhook_id = sent.webhook_id
