-- Documents with a start and no end that are missing from the list of open documents.
INSERT INTO document_open AS open (trigger_id, document_uuid, time, line_no)
SELECT begun.trigger_id, begun.document_uuid, begun.time, document_line_no(begun.trigger_id, begun.document_uuid)
  FROM document_history AS begun
 WHERE begun.status = 'processing'
   AND NOT EXISTS (SELECT
                     FROM document_history AS completed
                    WHERE completed.trigger_id = begun.trigger_id
                      AND completed.document_uuid = begun.document_uuid
                      AND completed.status = 'completed')
ON CONFLICT (trigger_id, document_uuid) DO UPDATE
   SET time = excluded.time
 WHERE open.time <> excluded.time
