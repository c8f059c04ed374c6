-- One row for each service and system with calls since a time: the calls that succeeded, that failed, and that failed
-- lately. NULL is every service or system.
SELECT service_name, external_system, sum(succeeded) AS succeeded, sum(failed) AS failed,
       coalesce(sum(failed) FILTER (WHERE minute >= %(lately)s), 0) AS failed_lately
  FROM call_rollup
 WHERE minute >= %(since)s
   AND (%(service)s::text IS NULL OR service_name = %(service)s)
   AND (%(system)s::text IS NULL OR external_system = %(system)s)
 GROUP BY service_name, external_system
