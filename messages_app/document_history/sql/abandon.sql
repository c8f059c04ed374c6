-- Withdraws the processing entry that the caller holds, unless the document is completed.
DELETE FROM document_history AS entry
 WHERE entry.trigger_id = %(trigger_id)s
   AND entry.document_uuid = %(uuid)s
   AND entry.status = 'processing'
   AND entry.time = %(time)s
   AND NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = entry.trigger_id
                      AND other.document_uuid = entry.document_uuid
                      AND other.status = 'completed')
