-- As complete.sql, for several documents, each given once; returns the documents that were written. They are inserted in the
-- order of their keys, so that two statements never wait for each other. `OFFSET 0`: each is looked up by its key.
INSERT INTO document_history AS entry (trigger_id, document_uuid, status, time)
SELECT given.trigger_id, given.document_uuid, 'completed', given.time
  FROM unnest(%(trigger_ids)s::varchar[], %(uuids)s::varchar[], %(times)s::timestamptz[])
       AS given (trigger_id, document_uuid, time)
 WHERE NOT EXISTS (SELECT
                     FROM document_history AS other
                    WHERE other.trigger_id = given.trigger_id
                      AND other.document_uuid = given.document_uuid
                      AND other.status = 'processing'
                      AND other.time <> given.time
                   OFFSET 0)
 ORDER BY given.trigger_id COLLATE "C", given.document_uuid COLLATE "C"
ON CONFLICT (trigger_id, document_uuid, status) DO UPDATE
   SET time = excluded.time
 WHERE entry.time < excluded.time
RETURNING trigger_id, document_uuid
