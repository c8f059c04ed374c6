-- How long messages took to be processed or to fail, of a range of changes, as in message_took; of old ones
-- by hour, and none older than the pages' windows.
SELECT extract(epoch FROM CASE WHEN event.at < now() - interval '25 hours' THEN date_trunc('hour', event.at, 'UTC')
                               ELSE date_bin('5 minutes', event.at, 'epoch'::timestamptz) END)::bigint,
       came.service_name, took_step(came.receive_timestamp, event.at)::bigint, count(*)
  FROM message_event AS event
 CROSS JOIN LATERAL (
       SELECT service_name, receive_timestamp FROM message WHERE msg_id = event.msg_id
        UNION ALL
       SELECT service_name, receive_timestamp FROM archive_message WHERE msg_id = event.msg_id
        UNION ALL
       SELECT service_name, receive_timestamp FROM cold_message WHERE msg_id = event.msg_id
        LIMIT 1) AS came
 WHERE event_id BETWEEN %(first)s AND %(last)s
   AND to_state IN ('OK', 'FAILED') AND from_state <> to_state
   AND event.at >= now() - interval '8 days'
 GROUP BY 1, 2, 3
