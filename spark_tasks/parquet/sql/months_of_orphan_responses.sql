-- One row per response of the given ids, which this transaction holds: the month in which it was received.
SELECT res_id, date_trunc('month', res_timestamp AT TIME ZONE 'UTC')::date
  FROM response
 WHERE res_id = ANY (%(ids)s)
