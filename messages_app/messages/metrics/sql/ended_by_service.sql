-- One row per service, most failures first: the numbers of messages that succeeded and that failed since a time.
SELECT service_name,
       coalesce(sum(entered) FILTER (WHERE state = 'OK'), 0) AS through,
       coalesce(sum(entered) FILTER (WHERE state = 'FAILED'), 0) AS failed
  FROM message_rollup
 WHERE minute >= %(since)s AND state IN ('OK', 'FAILED') AND entered > 0
 GROUP BY service_name
 ORDER BY failed DESC, through DESC, service_name
 LIMIT %(most)s
