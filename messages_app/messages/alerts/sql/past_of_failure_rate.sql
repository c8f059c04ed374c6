-- One row for each step of time at which the condition of a rule began or ended to hold, oldest first: (start of the
-- step, whether it holds). The value of a step is the share of FAILED in the messages that ended in the time window
-- that it ends; 0 if fewer than at_least ended.
WITH counted AS (
  SELECT date_trunc(%(unit)s, minute, 'UTC') AS step, sum(entered) AS ended,
         coalesce(sum(entered) FILTER (WHERE state = 'FAILED'), 0) AS failed
    FROM message_rollup
   WHERE minute > %(start)s::timestamptz - %(window)s::interval AND minute < %(end)s
     AND state IN ('OK', 'FAILED') AND entered > 0
     AND (%(service_name)s = '' OR service_name = %(service_name)s)
     AND (%(operation_name)s = '' OR operation_name = %(operation_name)s)
     AND (%(source_system)s = '' OR source_system = %(source_system)s)
     AND (%(failed_error_code)s = '' OR failed_error_code = %(failed_error_code)s)
   GROUP BY 1
), windows AS (
  SELECT step, sum(ended) OVER within AS ended, sum(failed) OVER within AS failed
    FROM (SELECT step, ended, failed FROM counted
           UNION ALL
          SELECT generate_series(%(start)s, %(end)s::timestamptz - %(step)s::interval, %(step)s::interval), 0, 0)
         AS steps
  WINDOW within AS (ORDER BY step RANGE BETWEEN %(before)s::interval PRECEDING AND CURRENT ROW)
)
SELECT step, holds
  FROM (SELECT step, bool_or(holds) AS holds, lag(bool_or(holds)) OVER (ORDER BY step) AS held
          FROM (SELECT step, ended >= greatest(%(at_least)s, 1) AND failed > %(limit)s * ended AS holds
                  FROM windows
                 WHERE step >= %(start)s) AS measured
         GROUP BY step) AS changes
 WHERE holds IS DISTINCT FROM held
 ORDER BY step
