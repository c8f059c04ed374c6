-- One row: the number of deliveries that were removed, because they are older than the retention time, sent or not.
-- Deliveries that another transaction is changing or removing are passed over until the next time.
-- The limit holds for any plan: as an array, the inner query runs once.
WITH old AS (
  DELETE FROM webhook_delivery
   WHERE delivery_id = ANY (ARRAY(SELECT delivery_id
                                    FROM webhook_delivery
                                   WHERE created_at < clock_timestamp() - make_interval(days => %(days)s)
                                   ORDER BY created_at
                                   LIMIT %(most)s
                                     FOR UPDATE SKIP LOCKED))
  RETURNING delivery_id),
     messages AS (
  DELETE FROM webhook_message USING old WHERE webhook_message.delivery_id = old.delivery_id)
SELECT count(*)
  FROM old
