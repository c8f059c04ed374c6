-- The number of messages that services hold, by queue; rows are counted up to the fence.
SELECT lock_service AS service, queuename AS queue, count(*) AS reserved
  FROM (SELECT lock_service, queuename
          FROM oscpmqueue
         WHERE lock_service IS NOT NULL
         ORDER BY lock_service, queuename
         LIMIT %(fence)s) AS held
 GROUP BY lock_service, queuename
 ORDER BY lock_service, queuename
