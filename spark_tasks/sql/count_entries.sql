-- How often messages entered states, of a range of changes. A failure counts under the message's current
-- error code, because no table has the earlier one.
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
 WHERE event_id BETWEEN %(first)s AND %(last)s
 GROUP BY 1, 2, 3, 4, 5, 6
