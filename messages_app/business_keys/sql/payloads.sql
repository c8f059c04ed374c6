-- The messages with these ids. A payload that is too large is not read.
SELECT msg_id, service_name, operation_name, receive_timestamp,
       CASE WHEN octet_length(payload) <= %(largest)s THEN payload END AS payload
  FROM message
 WHERE msg_id = ANY (%(msg_ids)s)
