-- Pickups lost to another service, by hour; the newest hour 0.
SELECT queuename,
       (extract(epoch FROM date_trunc('hour', statement_timestamp()) - hour) / 3600)::int AS hours_ago,
       sum(lost)::int AS lost
  FROM cp_lost_pickup
 WHERE queuename = ANY (%(queues)s)
   AND hour > statement_timestamp() - %(hours)s * interval '1 hour'
 GROUP BY 1, 2
