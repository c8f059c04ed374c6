-- One row for each state, service, operation, source system and error code with live messages, and their number: the
-- stored totals, and the changes that the next pass adds to them. A change commits with its messages, so the sum is exact
-- at every moment. Rows beyond the limits are only there if a hub has a kind for almost every message, or if no worker
-- has added any changes for long.
WITH stored AS MATERIALIZED (
  SELECT state, service_name, operation_name, source_system, failed_error_code, present
    FROM message_total
   WHERE present <> 0
   LIMIT %(most)s
)
SELECT state, service_name, operation_name, source_system, failed_error_code, sum(present)::bigint AS messages
  FROM (SELECT state, service_name, operation_name, source_system, failed_error_code, present
          FROM stored
         UNION ALL
        SELECT part.state, part.service_name, part.operation_name, part.source_system, part.failed_error_code,
               part.present
          FROM (SELECT message_change AS change FROM message_change LIMIT %(fence)s) AS pending
         CROSS JOIN LATERAL parts_of_change(pending.change) AS part
         WHERE part.present <> 0) AS counted
 GROUP BY state, service_name, operation_name, source_system, failed_error_code
HAVING sum(present) > 0
