-- The live messages of a range of ids, by the columns of message_rollup; of old ones by hour or day, as the
-- pass keeps them (messages_app/messages/metrics/counts.py). An infinite time becomes a second that the
-- database cannot store.
SELECT least(greatest(extract(epoch FROM kept_minute(changed)), -9.3e12), 9.3e12)::bigint,
       state, service_name, operation_name, source_system, coalesce(failed_error_code, ''), count(*), 0::bigint
  FROM (SELECT *, coalesce(last_process_timestamp, receive_timestamp) AS changed
          FROM message
         WHERE msg_id BETWEEN %(first)s AND %(last)s) AS dated
 GROUP BY 1, 2, 3, 4, 5, 6
