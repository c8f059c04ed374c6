-- Stores the active users of these names as mentioned by a note.
INSERT INTO note_mention (note_id, user_id)
SELECT %(note_id)s, id
  FROM auth_user
 WHERE username = ANY (%(names)s) AND is_active
 LIMIT %(most)s
