-- One row per state but OK: how many messages are in it, how many of them since before a time, and since when the
-- oldest is.
SELECT state, sum(present), coalesce(sum(present) FILTER (WHERE minute < %(before)s), 0), min(minute)
  FROM message_rollup
 WHERE NOT state = 'OK' AND NOT present = 0
 GROUP BY state
HAVING sum(present) > 0
