-- One row for each step of time at which the condition of a rule began or ended to hold, oldest first: (start of the
-- step, whether it holds). The value of a step is how often messages entered a state in the time window that it ends.
WITH counted AS (
  SELECT date_trunc(%(unit)s, minute, 'UTC') AS step, sum(entered) AS entered
    FROM message_rollup
   WHERE minute > %(start)s::timestamptz - %(window)s::interval AND minute < %(end)s
     AND state = %(state)s AND entered > 0
     AND (%(service_name)s = '' OR service_name = %(service_name)s)
     AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
     AND (%(source_system)s = '' OR source_system = %(source_system)s)
     AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
   GROUP BY 1
), windows AS (
  SELECT step,
         sum(entered) OVER (ORDER BY step RANGE BETWEEN %(before)s::interval PRECEDING AND CURRENT ROW)
         > %(limit)s AS holds
    FROM (SELECT step, entered FROM counted
           UNION ALL
          SELECT generate_series(%(start)s, %(end)s::timestamptz - %(step)s::interval, %(step)s::interval), 0)
         AS steps
)
SELECT step, holds
  FROM (SELECT step, bool_or(holds) AS holds, lag(bool_or(holds)) OVER (ORDER BY step) AS held
          FROM windows
         WHERE step >= %(start)s
         GROUP BY step) AS changes
 WHERE holds IS DISTINCT FROM held
 ORDER BY step
