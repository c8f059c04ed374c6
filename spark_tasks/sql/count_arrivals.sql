-- An infinite time becomes a second that the database cannot store.
-- Arrivals of a range of ids, live or archived, by the state before the first change. A message without
-- changes arrived in its current state.
WITH came AS (
  SELECT msg_id, receive_timestamp, last_process_timestamp, state, service_name, operation_name, source_system,
         failed_error_code
    FROM message
   WHERE msg_id BETWEEN %(first)s AND %(last)s
   UNION ALL
  SELECT msg_id, receive_timestamp, last_process_timestamp, state, service_name, operation_name, source_system,
         failed_error_code
    FROM archive_message
   WHERE msg_id BETWEEN %(first)s AND %(last)s
   UNION ALL
  SELECT msg_id, receive_timestamp, last_process_timestamp, state, service_name, operation_name, source_system,
         failed_error_code
    FROM cold_message
   WHERE msg_id BETWEEN %(first)s AND %(last)s
), arrived AS (
  SELECT CASE WHEN first.from_state IS NULL THEN coalesce(last_process_timestamp, receive_timestamp)
              ELSE receive_timestamp END AS at,
         coalesce(first.from_state, state) AS state, service_name, operation_name, source_system,
         CASE WHEN first.from_state IS NULL THEN coalesce(failed_error_code, '') ELSE '' END AS code
    FROM came
    LEFT JOIN LATERAL (SELECT from_state FROM message_event
                        WHERE message_event.msg_id = came.msg_id
                        ORDER BY event_id LIMIT 1) AS first ON true
)
SELECT least(greatest(extract(epoch FROM kept_minute(at)), -9.3e12), 9.3e12)::bigint,
       state, service_name, operation_name, source_system, code, 0::bigint, count(*)
  FROM arrived
 GROUP BY 1, 2, 3, 4, 5, 6
