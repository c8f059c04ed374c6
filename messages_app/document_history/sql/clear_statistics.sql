UPDATE document_trigger
   SET cleared_at = clock_timestamp()
 WHERE %(trigger_id)s::text IS NULL
    OR trigger_id = %(trigger_id)s
