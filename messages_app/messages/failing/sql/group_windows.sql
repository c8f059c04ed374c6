-- One row per group that failed in the longest window, with its failures in each of them. Pressing ones first.
WITH counted AS (
  SELECT group_id,
         sum(failures) FILTER (WHERE minute >= now() - interval '1 hour') AS hour,
         sum(failures) FILTER (WHERE minute >= now() - interval '3 hours') AS hours_3,
         sum(failures) FILTER (WHERE minute >= now() - interval '1 day') AS day,
         sum(failures) AS days_7
    FROM failure_minute
   WHERE minute >= now() - interval '7 days'
   GROUP BY group_id
)
SELECT group_id, coalesce(hour, 0), coalesce(hours_3, 0), coalesce(day, 0), days_7
  FROM counted
  JOIN failure_group USING (group_id)
 ORDER BY state NOT IN ('regressed', 'new'), hour DESC NULLS LAST, hours_3 DESC NULLS LAST,
          day DESC NULLS LAST, days_7 DESC, group_id DESC
 LIMIT %(most)s
