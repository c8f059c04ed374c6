-- One row per state except OK: the number of messages, the number of those without a change since a time, and the last
-- change of the oldest.
SELECT state, sum(present), coalesce(sum(present) FILTER (WHERE minute < %(before)s), 0), min(minute)
  FROM message_rollup
 WHERE NOT state = 'OK' AND NOT present = 0
 GROUP BY state
HAVING sum(present) > 0
