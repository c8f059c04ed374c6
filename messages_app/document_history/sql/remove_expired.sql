-- One batch: whole documents, oldest first, each row found by its key. Entries whose start was overwritten
-- meanwhile are not expired, and stay. It uses now() because an index cannot serve the clock's time; now() is
-- never later.
DELETE FROM document_history AS entry
 WHERE entry.ctid = ANY (ARRAY(
           SELECT both_entries.ctid
             FROM (SELECT DISTINCT document_uuid, time
                     FROM (SELECT document_uuid, time
                             FROM document_history
                            WHERE trigger_id = %(trigger_id)s
                              AND time <= now() - make_interval(secs => %(ttl_seconds)s)
                            ORDER BY trigger_id, time
                            LIMIT %(limit)s) AS oldest) AS batch,
                  LATERAL (SELECT ctid
                             FROM document_history
                            WHERE trigger_id = %(trigger_id)s
                              AND document_uuid = batch.document_uuid
                              AND time = batch.time
                           OFFSET 0) AS both_entries))
   AND entry.trigger_id = %(trigger_id)s
   AND entry.time <= now() - make_interval(secs => %(ttl_seconds)s)
