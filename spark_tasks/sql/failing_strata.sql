-- The number of the given messages by service and minute of receipt, in seconds since 1970.
SELECT service_name, extract(epoch FROM date_trunc('minute', receive_timestamp))::bigint, count(*)
  FROM message
 WHERE msg_id = ANY (%(ids)s)
 GROUP BY 1, 2
