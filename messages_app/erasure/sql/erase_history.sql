-- One row per erased entry: its trigger and its start, by which the list finds it again. Entries of documents
-- in progress are kept.
DELETE FROM document_history
 WHERE trigger_id = %(trigger)s
   AND document_uuid = %(key)s
   AND NOT EXISTS (SELECT FROM document_open AS open
                    WHERE open.trigger_id = %(trigger)s AND open.document_uuid = %(key)s)
RETURNING trigger_id, time
