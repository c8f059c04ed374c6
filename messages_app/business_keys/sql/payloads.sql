-- The messages with these ids. A payload that is too large is not read.
SELECT message.*
  FROM unnest(%(msg_ids)s::bigint[]) AS chosen (msg_id)
 CROSS JOIN LATERAL (SELECT message.msg_id, service_name, operation_name, receive_timestamp,
                            CASE WHEN octet_length(payload) <= %(largest)s THEN payload END AS payload
                       FROM message
                      WHERE message.msg_id = chosen.msg_id
                     OFFSET 0) AS message
