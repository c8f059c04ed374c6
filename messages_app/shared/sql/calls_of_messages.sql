-- One row per external call of the messages with the given ids, up to `most` for each message: the id and
-- time of the message, then message, operation, state and time of the call. Calls are looked up one by one,
-- because for a join the planner might read a whole table.
SELECT chosen.msg_id, chosen.msg_timestamp, call.msg_id, call.operation_name, call.state, call.msg_timestamp
  FROM (SELECT msg_id, msg_timestamp FROM message WHERE msg_id = ANY (%(ids)s) OFFSET 0) AS chosen
 CROSS JOIN LATERAL (SELECT msg_id, operation_name, state, msg_timestamp
                       FROM external_call
                      WHERE external_call.msg_id = chosen.msg_id
                      ORDER BY msg_id, call_id
                      LIMIT %(most)s) AS call
