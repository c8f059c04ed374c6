-- One row per service and step, fastest first: the number of messages that ended since a time and took that long.
SELECT service_name, step, sum(messages)
  FROM message_took
 WHERE minute >= date_bin('5 minutes', %(since)s::timestamptz, 'epoch'::timestamptz)
 GROUP BY service_name, step
 ORDER BY service_name, step
