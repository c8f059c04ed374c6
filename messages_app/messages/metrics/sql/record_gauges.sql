-- Records, once a minute, for each state except OK: the number of messages, the number of those without a change for
-- long, and the last change of the oldest. A row without a state shows that the minute was recorded.
INSERT INTO message_gauge (minute, state, messages, long, since)
SELECT recorded.minute, found.*
  FROM (SELECT date_trunc('minute', clock_timestamp(), 'UTC') AS minute) AS recorded
 CROSS JOIN LATERAL (
       SELECT '' AS state, 0 AS messages, 0 AS long, NULL::timestamptz AS since
        UNION ALL
       SELECT state, sum(present), coalesce(sum(present) FILTER (WHERE minute < now() - %(long)s::interval), 0),
              min(minute)
         FROM message_rollup
        WHERE NOT state = 'OK' AND NOT present = 0
        GROUP BY state
       HAVING sum(present) > 0) AS found
 WHERE NOT EXISTS (SELECT FROM message_gauge WHERE minute = date_trunc('minute', clock_timestamp(), 'UTC'))
ON CONFLICT (minute, state) DO NOTHING
