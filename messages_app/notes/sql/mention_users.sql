-- Stores these users as mentioned by a note, as far as they are still active.
INSERT INTO note_mention (note_id, user_id)
SELECT %(note_id)s, id
  FROM auth_user
 WHERE id = ANY (%(users)s) AND is_active
