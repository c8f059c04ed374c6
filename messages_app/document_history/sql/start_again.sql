-- Starts a document again that was started before. Of several simultaneous statements, only one finds the
-- expected time. A microsecond after a time of the year 9999 or later may be no time.
UPDATE document_history AS entry
   SET time = greatest(clock_timestamp(),
                       CASE WHEN entry.time < '9999-01-01' THEN entry.time + interval '1 microsecond' END)
 WHERE entry.trigger_id = %(trigger_id)s
   AND entry.document_uuid = %(uuid)s
   AND entry.status = 'processing'
   AND entry.time = %(seen)s
   AND NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = entry.trigger_id
                      AND other.document_uuid = entry.document_uuid
                      AND other.status = 'completed')
RETURNING entry.time
