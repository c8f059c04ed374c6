-- The deliveries that wait for their first or next attempt, by webhook, among the first ones by time; and their number.
SELECT webhook_id, count(*)
  FROM (SELECT webhook_id
          FROM webhook_delivery
         WHERE next_at IS NOT NULL
         ORDER BY next_at
         LIMIT %(most)s) AS waiting
 GROUP BY webhook_id
