-- One row per entry that went: its trigger and its start, by which the list finds it again. None of a document that is
-- under way.
DELETE FROM document_history
 WHERE trigger_id = %(trigger)s
   AND document_uuid = %(key)s
   AND NOT EXISTS (SELECT FROM document_open AS open
                    WHERE open.trigger_id = %(trigger)s AND open.document_uuid = %(key)s)
RETURNING trigger_id, time
