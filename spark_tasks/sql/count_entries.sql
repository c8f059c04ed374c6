-- How often messages came into states, of a range of changes. A failure has the error code that its message has
-- now: no table tells the one that it had.
SELECT extract(epoch FROM kept_minute(at))::bigint,
       to_state, named.service_name, named.operation_name, named.source_system,
       CASE WHEN to_state IN ('FAILED', 'PARTLY_FAILED') THEN coalesce(named.failed_error_code, '') ELSE '' END,
       0::bigint, count(*)
  FROM message_event AS event
 CROSS JOIN LATERAL (
       SELECT service_name, operation_name, source_system, failed_error_code
         FROM message WHERE msg_id = event.msg_id
        UNION ALL
       SELECT service_name, operation_name, source_system, failed_error_code
         FROM archive_message WHERE msg_id = event.msg_id
        UNION ALL
       SELECT service_name, operation_name, source_system, failed_error_code
         FROM cold_message WHERE msg_id = event.msg_id
        LIMIT 1) AS named
 WHERE event_id >= %(start)s AND event_id < %(end)s
 GROUP BY 1, 2, 3, 4, 5, 6
