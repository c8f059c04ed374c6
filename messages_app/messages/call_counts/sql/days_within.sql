-- One row for each day (UTC) of a system: the calls with a known duration, and of these the calls up to a step.
SELECT date_trunc('day', minute, 'UTC'), sum(calls), coalesce(sum(calls) FILTER (WHERE step <= %(step)s), 0)
  FROM call_took
 WHERE external_system = %(name)s AND minute >= %(start)s
 GROUP BY 1
