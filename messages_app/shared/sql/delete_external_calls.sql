-- One row per external call deleted, as JSON: those of one operation, or all where operation_name is NULL.
DELETE FROM external_call
 WHERE msg_id = ANY (%(msg_ids)s)
   AND (%(operation_name)s::text IS NULL OR operation_name = %(operation_name)s)
RETURNING to_jsonb(external_call)
