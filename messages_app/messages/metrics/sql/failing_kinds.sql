-- One row for each service, operation, source system, error code and external system of the messages that are FAILED now,
-- and their number. The index on the state has their ids; the failure of each is looked up, because the planner may read
-- the whole table for a join. The external system is empty for a message without one.
WITH failing AS (
  SELECT msg_id, service_name, operation_name, source_system, failed_error_code
    FROM message
   WHERE state = 'FAILED'
   LIMIT %(fence)s
)
SELECT 'FAILED' AS state, failing.service_name, failing.operation_name, failing.source_system,
       coalesce(failing.failed_error_code, '') AS failed_error_code,
       coalesce(failed_at.external_system, '') AS external_system, count(*) AS messages
  FROM failing
  LEFT JOIN LATERAL (SELECT (SELECT failure_cell.external_system
                               FROM failure_cell
                              WHERE failure_cell.cell_id = failure_member.cell_id) AS external_system
                       FROM failure_member
                      WHERE failure_member.msg_id = failing.msg_id
                      LIMIT 1) AS failed_at ON true
 GROUP BY failing.service_name, failing.operation_name, failing.source_system,
          coalesce(failing.failed_error_code, ''), coalesce(failed_at.external_system, '')
