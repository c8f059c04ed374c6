-- The services and operations of the newest live messages.
SELECT DISTINCT service_name, operation_name
  FROM (SELECT service_name, operation_name
          FROM message
         ORDER BY msg_id DESC
         LIMIT %(last)s) AS recent
 ORDER BY service_name, operation_name
 LIMIT %(most)s
