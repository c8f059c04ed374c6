-- The completed entry, with the time of the processing entry that the caller holds, unless its start has been
-- overwritten. If a sweep has removed the processing entry, only the completed one exists. If an earlier
-- holder has written a completed entry that the check did not see, it gets the new time, so that both entries
-- expire together.
INSERT INTO document_history AS entry (trigger_id, document_uuid, status, time)
SELECT %(trigger_id)s::varchar, %(uuid)s::varchar, 'completed', %(time)s::timestamptz
 WHERE NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = %(trigger_id)s::varchar
                      AND other.document_uuid = %(uuid)s::varchar
                      AND other.status = 'processing'
                      AND other.time <> %(time)s::timestamptz)
ON CONFLICT (trigger_id, document_uuid, status) DO UPDATE
   SET time = excluded.time
 WHERE entry.time < excluded.time
