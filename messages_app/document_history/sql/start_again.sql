-- Let a document through whose processing began before. Of several at once one sees the time that it knows.
UPDATE document_history AS entry
   SET time = greatest(clock_timestamp(), entry.time + interval '1 microsecond')
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
