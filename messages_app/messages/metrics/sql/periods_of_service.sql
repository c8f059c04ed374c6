-- One row for each hour or day (UTC) of a service: how often messages succeeded and failed.
SELECT date_trunc(%(period)s, minute, 'UTC'),
       coalesce(sum(entered) FILTER (WHERE state = 'OK'), 0),
       coalesce(sum(entered) FILTER (WHERE state = 'FAILED'), 0)
  FROM message_rollup
 WHERE service_name = %(service)s AND minute >= %(start)s AND minute < %(end)s
   AND state IN ('OK', 'FAILED') AND entered > 0
 GROUP BY 1
