-- One row per request of the given ids, which this transaction holds: the month in which it was sent, from the
-- first month of the calendar on.
SELECT req_id, date_trunc('month', greatest(req_timestamp, '0001-01-01Z') AT TIME ZONE 'UTC')::date
  FROM request
 WHERE req_id = ANY (%(ids)s)
