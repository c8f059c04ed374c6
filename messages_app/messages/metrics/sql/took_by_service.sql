-- One row per service and step of what its messages took since a time, the quickest first: how many they were.
SELECT service_name, step, sum(messages)
  FROM message_took
 WHERE minute >= date_bin('5 minutes', %(since)s::timestamptz, 'epoch'::timestamptz)
 GROUP BY service_name, step
 ORDER BY service_name, step
