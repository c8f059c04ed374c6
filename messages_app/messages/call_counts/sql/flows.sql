-- One row for each service and system with calls since `known_since`: the calls since `since` that succeeded, that
-- failed, and that failed lately, and all calls since `known_since`. NULL is every service or system.
SELECT service_name, external_system,
       coalesce(sum(succeeded) FILTER (WHERE minute >= %(since)s), 0) AS succeeded,
       coalesce(sum(failed) FILTER (WHERE minute >= %(since)s), 0) AS failed,
       coalesce(sum(failed) FILTER (WHERE minute >= %(lately)s), 0) AS failed_lately,
       sum(succeeded + failed) AS known_calls
  FROM call_rollup
 WHERE minute >= %(known_since)s
   AND (%(service)s::text IS NULL OR service_name = %(service)s)
   AND (%(system)s::text IS NULL OR external_system = %(system)s)
 GROUP BY service_name, external_system
