-- Records that a delivery was sent, and removes its messages.
WITH sent AS (
  UPDATE webhook_delivery
     SET sent_at = clock_timestamp(), next_at = NULL, error = ''
   WHERE delivery_id = %(delivery_id)s
  RETURNING delivery_id, webhook_id),
     removed AS (
  DELETE FROM webhook_message USING sent WHERE webhook_message.delivery_id = sent.delivery_id)
UPDATE webhook
   SET delivered_at = clock_timestamp(), error = '', rests_until = NULL
  FROM sent
 WHERE webhook.webhook_id = sent.webhook_id
