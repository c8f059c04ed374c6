UPDATE document_in_doubt
   SET state = %(state)s,
       resolved_at = clock_timestamp(),
       resolved_by = %(resolved_by)s,
       reason = %(reason)s
 WHERE in_doubt_id = %(in_doubt_id)s
   AND state = 'open'
RETURNING trigger_id, document_uuid
