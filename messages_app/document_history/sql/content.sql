-- The hash that belongs to the current entries.
SELECT sha256
  FROM document_content
 WHERE trigger_id = %(trigger_id)s
   AND document_uuid = %(uuid)s
   AND time = ANY (%(times)s)
