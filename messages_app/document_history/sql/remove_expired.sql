-- One batch: whole documents, oldest first. Entries whose start was overwritten meanwhile are young again, and
-- stay. now() and not the clock, which no index can be asked by; it is never later.
WITH batch AS (
    SELECT DISTINCT document_uuid, time
      FROM (SELECT document_uuid, time
              FROM document_history
             WHERE trigger_id = %(trigger_id)s
               AND time <= now() - make_interval(secs => %(ttl_seconds)s)
             ORDER BY trigger_id, time
             LIMIT %(limit)s) AS oldest
)
DELETE FROM document_history AS entry
 USING batch
 WHERE entry.trigger_id = %(trigger_id)s
   AND entry.document_uuid = batch.document_uuid
   AND entry.time = batch.time
