-- One row: how many rows hang on the given messages and orphan requests, by table. Looked up one by one: a
-- join would be free to read a whole table.
SELECT coalesce(sum((SELECT count(*) FROM external_call WHERE external_call.msg_id = message.id)), 0)::bigint,
       coalesce(sum((SELECT count(*) FROM funnel WHERE funnel.msg_id = message.id)), 0)::bigint,
       coalesce(sum((SELECT count(*) FROM request WHERE request.msg_id = message.id)), 0)::bigint,
       coalesce(sum((SELECT count(*) FROM response WHERE req_id IS NULL AND response.msg_id = message.id)
                  + (SELECT coalesce(sum((SELECT count(*) FROM response WHERE response.req_id = request.req_id)), 0)
                       FROM request WHERE request.msg_id = message.id)), 0)::bigint
  FROM unnest(%(msg_ids)s::bigint[]) AS message (id)
