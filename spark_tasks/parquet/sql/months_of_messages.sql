-- One row per message of the given ids, which this transaction holds: the month in which it ended, from the
-- first month of the calendar on.
SELECT msg_id,
       date_trunc('month', greatest(coalesce(last_process_timestamp, receive_timestamp), '0001-01-01Z')
                           AT TIME ZONE 'UTC')::date
  FROM message
 WHERE msg_id = ANY (%(ids)s)
