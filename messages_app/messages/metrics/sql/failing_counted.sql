-- One row for each service, operation and error code with live messages that are FAILED now, and their number: the stored
-- counts, and the changes that the next pass adds to them. A change commits with its messages, so the sum is exact at
-- every moment. Changes beyond the fence are only there if no worker has added any for long.
SELECT service_name, operation_name, failed_error_code, sum(present)
  FROM (SELECT service_name, operation_name, failed_error_code, present
          FROM message_rollup
         WHERE state = 'FAILED' AND NOT present = 0
         UNION ALL
        SELECT part.service_name, part.operation_name, part.failed_error_code, part.present
          FROM (SELECT message_change AS change FROM message_change LIMIT %(fence)s) AS pending
         CROSS JOIN LATERAL parts_of_change(pending.change) AS part
         WHERE part.state = 'FAILED') AS counted
 GROUP BY service_name, operation_name, failed_error_code
HAVING sum(present) > 0
