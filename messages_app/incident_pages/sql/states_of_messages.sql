-- The live messages of some ids: state, last change and object.
SELECT live.state, live.last_process_timestamp, live.entity_type, live.object_id
  FROM unnest(%(messages)s::bigint[]) AS asked (msg_id)
 CROSS JOIN LATERAL (SELECT state, last_process_timestamp, entity_type, object_id
                       FROM message
                      WHERE message.msg_id = asked.msg_id
                      LIMIT 1) AS live
