-- Rows (name, label, value) from the console's own tables: items that have not ended, which indexes have.
SELECT 'jobs', state, count(*)::float8
  FROM job
 WHERE state IN ('planning', 'queued', 'running', 'stopping', 'paused')
 GROUP BY state
 UNION ALL
SELECT 'job_lease_overdue_seconds', '',
       coalesce(max(extract(epoch FROM clock_timestamp() - lease_until)) FILTER (WHERE lease_until < clock_timestamp()),
                0)
  FROM job
 WHERE state IN ('planning', 'queued', 'running', 'stopping')
 UNION ALL
SELECT 'alerts_open', '', count(*)
  FROM alert
 WHERE closed_at IS NULL
 UNION ALL
SELECT 'failure_groups', state, count(*)
  FROM failure_group
 GROUP BY state
 UNION ALL
SELECT 'alert_notices_due', '', count(*)
  FROM alert_notice
 WHERE next_at IS NOT NULL
