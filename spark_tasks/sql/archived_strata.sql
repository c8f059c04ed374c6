-- The number of archived processed messages of services, by service and minute of receipt in seconds since 1970. It
-- reads at most %(most)s rows, the oldest ones, by the index archive_message_received_idx.
SELECT service_name, extract(epoch FROM date_trunc('minute', receive_timestamp))::bigint, count(*)
  FROM (SELECT service_name, receive_timestamp
          FROM archive_message
         WHERE receive_timestamp >= %(start)s AND receive_timestamp < %(end)s
           AND state = 'OK'
         ORDER BY receive_timestamp
         LIMIT %(most)s) AS archived
 WHERE service_name = ANY (%(service_names)s)
 GROUP BY 1, 2
