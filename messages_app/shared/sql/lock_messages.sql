-- Locks messages one by one in the order of their ids, so that a later statement of the transaction sees what others
-- did to them before.
SELECT locked.msg_id
  FROM (SELECT msg_id FROM unnest(%(ids)s::bigint[]) AS msg_id ORDER BY msg_id) AS asked
 CROSS JOIN LATERAL (SELECT message.msg_id
                       FROM message
                      WHERE message.msg_id = asked.msg_id
                        FOR NO KEY UPDATE) AS locked
