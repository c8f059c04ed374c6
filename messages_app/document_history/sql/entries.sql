SELECT status, time
  FROM document_history
 WHERE trigger_id = %(trigger_id)s
   AND document_uuid = %(uuid)s
