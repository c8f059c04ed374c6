-- One line, locked; simultaneous callers skip it.
UPDATE document_in_doubt
   SET taken_at = clock_timestamp(), taken_by = %(taken_by)s
 WHERE in_doubt_id = (SELECT in_doubt_id
                        FROM document_in_doubt
                       WHERE trigger_id = %(trigger_id)s
                         AND state = 'resubmitted'
                         AND taken_at IS NULL
                         AND ((%(in_doubt_id)s)::bigint IS NULL OR in_doubt_id = (%(in_doubt_id)s)::bigint)
                       ORDER BY trigger_id, in_doubt_id
                       LIMIT 1
                         FOR UPDATE SKIP LOCKED)
RETURNING in_doubt_id
