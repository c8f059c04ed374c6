-- One row for each group that failed in the longest window or has failing messages: its failures in each window, and the
-- number of its failing messages, as given by group or, as an upper bound, by service, operation and code. New and
-- regressed groups with failing messages are first, then other new and regressed ones. Then groups are sorted by failures
-- per hour, with the same weight for each window, times the square of the share that is not repaired, so that almost
-- repaired groups move down.
WITH counted AS (
  SELECT group_id,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '1 hour'), 0) AS hour,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '3 hours'), 0) AS hours_3,
         coalesce(sum(failures) FILTER (WHERE minute >= now() - interval '1 day'), 0) AS day,
         sum(failures) AS days_7
    FROM failure_minute
   WHERE minute >= now() - interval '7 days'
   GROUP BY group_id
  -- The failures of a group that was joined to another one add up to 0.
  HAVING sum(failures) > 0
), failing AS (
  SELECT group_id, messages
    FROM unnest(%(groups)s::bigint[], %(messages)s::bigint[]) AS given (group_id, messages)
), kind AS (
  SELECT service_name, operation_name, failed_error_code, messages
    FROM unnest(%(services)s::text[], %(operations)s::text[], %(codes)s::text[], %(of_kinds)s::bigint[])
         AS given (service_name, operation_name, failed_error_code, messages)
), judged AS (
  SELECT group_id, coalesce(hour, 0) AS hour, coalesce(hours_3, 0) AS hours_3, coalesce(day, 0) AS day,
         coalesce(days_7, 0) AS days_7, state IN ('regressed', 'new') AS presses,
         -- least() of a number and NULL is the number.
         coalesce(failing.messages, least(failures, coalesce(kind.messages, 0))) AS failing_now
    FROM counted
    FULL JOIN failing USING (group_id)
    JOIN failure_group USING (group_id)
    LEFT JOIN kind USING (service_name, operation_name, failed_error_code)
)
SELECT group_id, hour, hours_3, day, days_7, failing_now
  FROM judged
 ORDER BY presses AND failing_now > 0 DESC, presses DESC,
          (hour + hours_3 / 3.0 + day / 24.0 + days_7 / 168.0)
            * power(least(greatest(failing_now, 0.1) / greatest(days_7, 1), 1), 2) DESC,
          failing_now DESC, group_id DESC
 LIMIT %(most)s
