-- One row per step, the fastest first: the messages of a service that ended since a time and took that long.
SELECT step, sum(messages)
  FROM message_took
 WHERE service_name = %(service)s
   AND minute >= date_bin('5 minutes', %(since)s::timestamptz, 'epoch'::timestamptz)
 GROUP BY step
 ORDER BY step
