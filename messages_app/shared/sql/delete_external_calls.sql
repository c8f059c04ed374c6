-- One row per deleted external call, as JSON: calls of one operation, or all if operation_name is NULL.
DELETE FROM external_call
 WHERE msg_id = ANY (%(msg_ids)s)
   AND (%(operation_name)s::text IS NULL OR operation_name = %(operation_name)s)
RETURNING to_jsonb(external_call)
