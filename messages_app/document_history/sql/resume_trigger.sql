UPDATE document_trigger
   SET suspended_at = NULL, suspended_because = ''
 WHERE trigger_id = %(trigger_id)s
   AND suspended_at IS NOT NULL
   AND deleted_at IS NULL
