-- Notes, once a minute, how many messages are in each state but OK, how many of them for long, and since when the oldest
-- is; a row without a state says that it was noted.
INSERT INTO message_gauge (minute, state, messages, long, since)
SELECT noted.minute, found.*
  FROM (SELECT date_trunc('minute', clock_timestamp(), 'UTC') AS minute) AS noted
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
