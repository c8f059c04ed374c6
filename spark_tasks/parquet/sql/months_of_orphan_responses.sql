-- One row per response of the given ids, which this transaction holds: the month in which it was received, from the
-- first month of the calendar on.
SELECT res_id, date_trunc('month', greatest(res_timestamp, '0001-01-01Z') AT TIME ZONE 'UTC')::date
  FROM response
 WHERE res_id = ANY (%(ids)s)
