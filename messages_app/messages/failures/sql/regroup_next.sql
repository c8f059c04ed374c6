-- One row: the next group of an earlier rule whose messages are not all regrouped.
SELECT group_id, service_name, operation_name, failed_error_code, fingerprint, regroup_below
  FROM failure_group
 WHERE regroup_below IS NOT NULL
 ORDER BY group_id
 LIMIT 1
