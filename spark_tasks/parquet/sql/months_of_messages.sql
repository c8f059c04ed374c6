-- One row per message of the given ids, which this transaction holds: the month in which it ended.
SELECT msg_id, date_trunc('month', coalesce(last_process_timestamp, receive_timestamp) AT TIME ZONE 'UTC')::date
  FROM message
 WHERE msg_id = ANY (%(ids)s)
