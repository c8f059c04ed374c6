-- The completed entry, with the time of the processing entry that the caller holds; not for one whose start was
-- overwritten since. A sweep may have taken the processing entry: then it stands alone. A completed entry of an
-- earlier holder, which a check did not see yet, gets this one's time, so that both go together.
INSERT INTO document_history AS entry (trigger_id, document_uuid, status, time)
SELECT %(trigger_id)s, %(uuid)s, 'completed', %(time)s::timestamptz
 WHERE NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = %(trigger_id)s
                      AND other.document_uuid = %(uuid)s
                      AND other.status = 'processing'
                      AND other.time <> %(time)s::timestamptz)
ON CONFLICT (trigger_id, document_uuid, status) DO UPDATE
   SET time = excluded.time
 WHERE entry.time < excluded.time
RETURNING time
