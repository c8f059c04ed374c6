-- One row for each group that failed in the longest window: its failures in each window, and an upper bound of its FAILED
-- messages, from the counts of its service, operation and code. New and regressed groups are first, those with messages to
-- repair before the others. Then groups are sorted by failures per hour, with the same weight for each window, times the
-- square of the share that is not repaired, so that almost repaired groups move down.
WITH counted AS (
  SELECT group_id,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '1 hour'), 0) AS hour,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '3 hours'), 0) AS hours_3,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '1 day'), 0) AS day,
         sum(failures) AS days_7
    FROM failure_minute
   WHERE minute >= now() - interval '7 days'
   GROUP BY group_id
), present AS (
  SELECT service_name, operation_name, failed_error_code, sum(present) AS messages
    FROM message_rollup
   WHERE state = 'FAILED' AND NOT present = 0
     AND minute >= now() - interval '7 days'
   GROUP BY service_name, operation_name, failed_error_code
), judged AS (
  SELECT counted.*, state IN ('regressed', 'new') AS presses,
         greatest(0, least(days_7, coalesce(messages, 0))) AS failing_now
    FROM counted
    JOIN failure_group USING (group_id)
    LEFT JOIN present USING (service_name, operation_name, failed_error_code)
)
SELECT group_id, hour, hours_3, day, days_7, failing_now
  FROM judged
 ORDER BY presses AND failing_now > 0 DESC, presses DESC,
          (hour + hours_3 / 3.0 + day / 24.0 + days_7 / 168.0) * power(greatest(failing_now, 0.1) / days_7, 2) DESC,
          group_id DESC
 LIMIT %(most)s
