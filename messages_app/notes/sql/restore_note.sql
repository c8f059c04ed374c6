-- Stores a deleted note again with its id and time, unless it is there.
INSERT INTO note (note_id, kind, subject, author, text, at)
VALUES (%(note_id)s, %(kind)s, %(subject)s, %(author)s, %(text)s, %(at)s)
ON CONFLICT (note_id) DO NOTHING
