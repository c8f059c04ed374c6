-- Notes past the pages' windows go.
DELETE FROM message_gauge WHERE minute < now() - interval '8 days'
