-- One row for each area, the oldest gap first: its statements, its times, and the newest reason.
SELECT area, sum(statements)::bigint, min(first_at), max(last_at),
       (array_agg(sqlstate ORDER BY last_at DESC))[1], (array_agg(reason ORDER BY last_at DESC))[1]
  FROM trigger_gap
 GROUP BY area
 ORDER BY min(first_at)
