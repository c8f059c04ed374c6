-- The number of processed messages of one service by minute of receipt, in seconds since 1970. It reads at most
-- %(most)s entries of the index message_service_received_idx, the oldest ones, and no row of the table.
SELECT extract(epoch FROM date_trunc('minute', receive_timestamp))::bigint, count(*)
  FROM (SELECT receive_timestamp
          FROM message
         WHERE service_name = %(service_name)s
           AND receive_timestamp >= %(start)s AND receive_timestamp < %(end)s
           AND state = 'OK'
         ORDER BY receive_timestamp
         LIMIT %(most)s) AS passing
 GROUP BY 1
