-- One row: how many rows hang on the given messages, orphan requests and orphan responses, by table.
SELECT (SELECT count(*) FROM external_call WHERE msg_id = ANY (%(msg_ids)s)),
       (SELECT count(*) FROM funnel WHERE msg_id = ANY (%(msg_ids)s)),
       (SELECT count(*) FROM request WHERE msg_id = ANY (%(msg_ids)s)) + cardinality(%(req_ids)s::bigint[]),
       (SELECT count(*) FROM response
         WHERE req_id IN (SELECT req_id FROM request WHERE msg_id = ANY (%(msg_ids)s)))
     + (SELECT count(*) FROM response WHERE req_id = ANY (%(req_ids)s))
     + (SELECT count(*) FROM response WHERE req_id IS NULL AND msg_id = ANY (%(msg_ids)s))
     + cardinality(%(res_ids)s::bigint[])
