-- The newest failed messages of a range, with the beginning of their error: the texts are long.
SELECT msg_id, receive_timestamp, service_name, failed_error_code, left(failed_desc, %(characters)s)
  FROM message
 WHERE state = 'FAILED' AND receive_timestamp BETWEEN %(start)s AND %(end)s
 ORDER BY receive_timestamp DESC, msg_id DESC
 LIMIT %(fence)s
