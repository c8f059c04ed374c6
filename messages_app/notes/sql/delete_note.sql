-- One row: the kind, subject, text and time of the note that this statement deletes. No row if it is not the author's.
WITH deleted AS (
  DELETE FROM note
   WHERE note_id = %(note_id)s AND author = %(author)s
  RETURNING note_id, kind, subject, text, at
), forgotten AS (
  DELETE FROM note_mention
   WHERE note_id IN (SELECT note_id FROM deleted)
)
SELECT kind, subject, text, at
  FROM deleted
