-- Starts a document again whatever its processing entry says, unless it is completed.
INSERT INTO document_history AS entry (trigger_id, document_uuid, status, time)
SELECT %(trigger_id)s, %(uuid)s, 'processing', clock_timestamp()
 WHERE NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = %(trigger_id)s
                      AND other.document_uuid = %(uuid)s
                      AND other.status = 'completed')
ON CONFLICT (trigger_id, document_uuid, status) DO UPDATE
   SET time = greatest(clock_timestamp(),
                       CASE WHEN entry.time < '9999-01-01' THEN entry.time + interval '1 microsecond' END)
RETURNING time
