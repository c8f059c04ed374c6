-- One row for each service and system with targets: the number of its targets that are missed today (UTC), by the indexes
-- of its counts. Products of floats may be off by much less than one message.
WITH today AS (SELECT date_trunc('day', now(), 'UTC') AS start)
SELECT profile.kind, profile.name,
       coalesce((ended.failed > profile.failed_share * ended.total + 1e-6)::integer, 0)
       + coalesce((timed.within < profile.within_share * timed.total - 1e-6)::integer, 0)
  FROM participant_profile AS profile
 CROSS JOIN today
 CROSS JOIN LATERAL (
       SELECT sum(entered) AS total, sum(entered) FILTER (WHERE state = 'FAILED') AS failed
         FROM message_rollup
        WHERE profile.kind = 'service' AND service_name = profile.name AND minute >= today.start
          AND state IN ('OK', 'FAILED') AND entered > 0
       HAVING profile.kind = 'service'
        UNION ALL
       SELECT sum(succeeded + failed), sum(failed)
         FROM call_rollup
        WHERE profile.kind = 'system' AND external_system = profile.name AND minute >= today.start
       HAVING profile.kind = 'system') AS ended
 CROSS JOIN LATERAL (
       SELECT sum(messages) AS total, coalesce(sum(messages) FILTER (WHERE step <= profile.within_step), 0) AS within
         FROM message_took
        WHERE profile.kind = 'service' AND service_name = profile.name AND minute >= today.start
       HAVING profile.kind = 'service'
        UNION ALL
       SELECT sum(calls), coalesce(sum(calls) FILTER (WHERE step <= profile.within_step), 0)
         FROM call_took
        WHERE profile.kind = 'system' AND external_system = profile.name AND minute >= today.start
       HAVING profile.kind = 'system') AS timed
 WHERE profile.failed_share IS NOT NULL OR profile.within_share IS NOT NULL
 ORDER BY profile.kind, profile.name
 LIMIT %(most)s
