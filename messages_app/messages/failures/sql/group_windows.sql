-- The groups that failed in the longest window or have failing messages: their failures in each window, and the number
-- of their failing messages, as given by group or, as an upper bound, by service, operation and code. One row for each
-- group that the filter keeps, after the numbers of all groups: failing ones, failing ones to review, and all; without
-- such a group, one row with these numbers. The usual order: new and regressed groups with failing messages are first,
-- then other new and regressed ones; then groups are sorted by failures per hour, with the same weight for each window,
-- times the square of the share that is not repaired, so that almost repaired groups move down.
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
         coalesce(failing.messages, least(failures, coalesce(kind.messages, 0))) AS failing_now,
         service_name, operation_name, failed_error_code, owner, last_seen, summary, example, ticket
    FROM counted
    FULL JOIN failing USING (group_id)
    JOIN failure_group USING (group_id)
    LEFT JOIN kind USING (service_name, operation_name, failed_error_code)
), total AS (
  SELECT count(*) FILTER (WHERE failing_now > 0) AS open,
         count(*) FILTER (WHERE failing_now > 0 AND presses) AS unreviewed, count(*) AS groups
    FROM judged
), kept AS (
  SELECT group_id, hour, hours_3, day, days_7, failing_now, count(*) OVER () AS matches,
         row_number() OVER (
           ORDER BY CASE %(ordering)s::text WHEN '-failing_now' THEN failing_now WHEN '-hour' THEN hour WHEN '-day' THEN day
                                      WHEN '-days_7' THEN days_7
                                      WHEN '-last_seen' THEN extract(epoch FROM last_seen) END DESC NULLS LAST,
                    CASE %(ordering)s::text WHEN 'service_name' THEN service_name WHEN 'owner' THEN nullif(owner, '') END
                    NULLS LAST,
                    presses AND failing_now > 0 DESC, presses DESC,
                    (hour + hours_3 / 3.0 + day / 24.0 + days_7 / 168.0)
                      * power(least(greatest(failing_now, 0.1) / greatest(days_7, 1), 1), 2) DESC,
                    failing_now DESC, group_id DESC) AS place
    FROM judged
   WHERE (%(is_failing)s::boolean IS NULL OR (failing_now > 0) = %(is_failing)s)
     AND (%(presses)s::boolean IS NULL OR presses = %(presses)s)
     AND (%(owner)s::text IS NULL OR owner = %(owner)s)
     AND (%(service_name)s::text IS NULL OR service_name = %(service_name)s)
     AND (%(text)s::text IS NULL
          OR strpos(lower(concat_ws(' ', failed_error_code, summary, example, service_name, operation_name, owner,
                                    ticket)), lower(%(text)s)) > 0
          OR (SELECT true
                FROM failure_cell
               WHERE failure_cell.group_id = judged.group_id
                 AND strpos(lower(failure_cell.external_system), lower(%(text)s)) > 0
               LIMIT 1))
     -- LIMIT: each group is looked up by the index, for the planner may read all cells for a join.
     AND (%(external_system)s::text IS NULL
          OR (SELECT true
                FROM failure_cell
               WHERE failure_cell.group_id = judged.group_id
                 AND failure_cell.external_system = %(external_system)s
               LIMIT 1))
)
SELECT open, unreviewed, groups, matches, group_id, hour, hours_3, day, days_7, failing_now
  FROM total
  LEFT JOIN (SELECT *
               FROM kept
              ORDER BY place
              LIMIT %(most)s) AS first ON true
 ORDER BY place
