-- One row per service, sender and minute since a time: the minute since 1970, and the messages that succeeded or failed.
SELECT service_name, source_system, (extract(epoch FROM minute) / 60)::bigint, sum(entered)
  FROM message_rollup
 WHERE minute >= %(since)s
   AND minute <= clock_timestamp()
   AND state IN ('OK', 'FAILED')
   AND entered > 0
 GROUP BY 1, 2, 3
