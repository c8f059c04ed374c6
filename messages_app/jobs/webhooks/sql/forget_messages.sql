-- Removes the messages of a webhook's deliveries.
DELETE FROM webhook_message
 USING webhook_delivery
 WHERE webhook_message.delivery_id = webhook_delivery.delivery_id
   AND webhook_id = %(webhook_id)s
