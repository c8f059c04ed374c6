-- One row for each hour or day (UTC) of a system: the calls that succeeded and that failed.
SELECT date_trunc(%(period)s, minute, 'UTC'), sum(succeeded), sum(failed)
  FROM call_rollup
 WHERE external_system = %(system)s AND minute >= %(start)s AND minute < %(end)s
 GROUP BY 1
