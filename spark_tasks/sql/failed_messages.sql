-- The failed messages of a range of ids, live or archived, that are in no group yet and not queued for one, with the
-- parts of their error that are read for its cause.
-- Times outside the years 1 to 9999 become the nearest one of these years, because Arrow writes no others.
WITH failed AS (
  SELECT msg_id, coalesce(last_process_timestamp, receive_timestamp) AS at, service_name, operation_name,
         failed_error_code, failure_excerpt(failed_desc) AS text
    FROM message
   WHERE state = 'FAILED' AND msg_id BETWEEN %(first)s AND %(last)s
   UNION ALL
  SELECT msg_id, coalesce(last_process_timestamp, receive_timestamp), service_name, operation_name,
         failed_error_code, failure_excerpt(failed_desc)
    FROM archive_message
   WHERE state = 'FAILED' AND msg_id BETWEEN %(first)s AND %(last)s
   UNION ALL
  SELECT msg_id, coalesce(last_process_timestamp, receive_timestamp), service_name, operation_name,
         failed_error_code, failed_summary
    FROM cold_message
   WHERE state = 'FAILED' AND msg_id BETWEEN %(first)s AND %(last)s
)
SELECT msg_id, least(greatest(extract(epoch FROM at), -62135596800), 253402300799)::bigint, service_name,
       operation_name, coalesce(failed_error_code, ''), coalesce(text, '')
  FROM failed
 WHERE NOT EXISTS (SELECT FROM failure_member WHERE failure_member.msg_id = failed.msg_id)
   AND NOT EXISTS (SELECT FROM new_failure WHERE new_failure.msg_id = failed.msg_id)
