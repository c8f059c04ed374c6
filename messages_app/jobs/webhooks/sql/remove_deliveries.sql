-- Removes a webhook's deliveries and their messages, each delivery before its messages, as the retention time does.
WITH gone AS (
  DELETE FROM webhook_delivery WHERE webhook_id = %(webhook_id)s
  RETURNING delivery_id)
DELETE FROM webhook_message USING gone WHERE webhook_message.delivery_id = gone.delivery_id
