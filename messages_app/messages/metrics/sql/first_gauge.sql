-- One row: the first minute since a time at which the gauges were recorded, or NULL.
SELECT min(minute)
  FROM message_gauge
 WHERE minute >= %(since)s
