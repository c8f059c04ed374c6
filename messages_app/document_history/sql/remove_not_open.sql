-- Documents of the open list that have ended or are no longer in the history.
DELETE FROM document_open AS open
 WHERE NOT EXISTS (SELECT
                     FROM document_history AS begun
                    WHERE begun.trigger_id = open.trigger_id
                      AND begun.document_uuid = open.document_uuid
                      AND begun.status = 'processing')
    OR EXISTS (SELECT
                 FROM document_history AS completed
                WHERE completed.trigger_id = open.trigger_id
                  AND completed.document_uuid = open.document_uuid
                  AND completed.status = 'completed')
