-- One row for each service, system and step, the fastest first: the calls since a time that took that long. NULL is every
-- service or system.
SELECT service_name, external_system, step, sum(calls)
  FROM call_took
 WHERE minute >= date_bin('5 minutes', %(since)s::timestamptz, 'epoch'::timestamptz)
   AND (%(service)s::text IS NULL OR service_name = %(service)s)
   AND (%(system)s::text IS NULL OR external_system = %(system)s)
 GROUP BY service_name, external_system, step
 ORDER BY step
