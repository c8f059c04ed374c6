-- The groups whose error has a text, newest failure first. Only the newest groups are read, by the index of their list:
-- groups are never removed, and a text can be anywhere in an error.
SELECT group_id, service_name, failed_error_code, summary
  FROM (SELECT group_id, service_name, failed_error_code, summary, example, last_seen
          FROM failure_group
         ORDER BY last_seen DESC, group_id DESC
         LIMIT %(most_groups)s) AS newest
 WHERE failed_error_code = upper(%(text)s)
    OR strpos(lower(summary), lower(%(text)s)) > 0
    OR strpos(lower(example), lower(%(text)s)) > 0
 ORDER BY last_seen DESC, group_id DESC
 LIMIT %(limit)s
