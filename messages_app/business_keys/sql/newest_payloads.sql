-- The newest live messages of an operation among the last ones, with their payloads.
SELECT msg_id, CASE WHEN octet_length(payload) <= %(largest)s THEN payload END
  FROM (SELECT msg_id, service_name, operation_name, payload
          FROM message
         ORDER BY msg_id DESC
         LIMIT %(last)s) AS recent
 WHERE service_name = %(service_name)s
   AND operation_name = %(operation_name)s
 LIMIT %(most)s
