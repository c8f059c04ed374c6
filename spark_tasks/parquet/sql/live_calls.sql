-- One row per message for which the operation and entity of one of its calls also have a live external call.
-- Looked up one by one, because a join might read a whole table.
SELECT DISTINCT made.msg_id
  FROM unnest(%(msg_ids)s::bigint[], %(operations)s::text[], %(entities)s::text[])
       AS made (msg_id, operation_name, entity_id)
 CROSS JOIN LATERAL (SELECT call_id
                       FROM external_call
                      WHERE external_call.operation_name = made.operation_name
                        AND external_call.entity_id = made.entity_id
                      LIMIT 1) AS again
