-- The completed entry with the time of the processing entry; with the current time if a sweep has removed
-- that one.
INSERT INTO document_history (trigger_id, document_uuid, status, time)
SELECT %(trigger_id)s, %(uuid)s, 'completed',
       coalesce((SELECT time
                   FROM document_history
                  WHERE trigger_id = %(trigger_id)s
                    AND document_uuid = %(uuid)s
                    AND status = 'processing'),
                clock_timestamp())
ON CONFLICT (trigger_id, document_uuid, status) DO NOTHING
RETURNING time
