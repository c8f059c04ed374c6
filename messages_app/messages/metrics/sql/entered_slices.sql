-- One row per slice of time and state: how often messages entered the state in the slice.
SELECT date_bin(%(width)s::interval, minute, %(start)s::timestamptz), state, sum(entered)
  FROM message_rollup
 WHERE minute >= %(start)s AND minute < %(end)s AND entered > 0
 GROUP BY 1, 2
 ORDER BY 1, 2
