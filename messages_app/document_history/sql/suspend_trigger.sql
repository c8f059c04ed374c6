UPDATE document_trigger
   SET suspended_at = clock_timestamp(), suspended_because = %(because)s
 WHERE trigger_id = %(trigger_id)s
   AND suspended_at IS NULL
   AND deleted_at IS NULL
