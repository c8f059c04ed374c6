-- The live messages of a range of ids, by the columns of message_rollup; of old ones by hour or day, as the
-- pass keeps them (messages_app/messages/metrics/counts.py).
SELECT extract(epoch FROM kept_minute(changed))::bigint,
       state, service_name, operation_name, source_system, coalesce(failed_error_code, ''), count(*), 0::bigint
  FROM (SELECT *, coalesce(last_process_timestamp, receive_timestamp) AS changed
          FROM message
         WHERE msg_id >= %(start)s AND msg_id < %(end)s) AS dated
 GROUP BY 1, 2, 3, 4, 5, 6
