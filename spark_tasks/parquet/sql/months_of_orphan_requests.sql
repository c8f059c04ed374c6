-- One row per request of the given ids, which this transaction holds: the month in which it was sent.
SELECT req_id, date_trunc('month', req_timestamp AT TIME ZONE 'UTC')::date
  FROM request
 WHERE req_id = ANY (%(ids)s)
