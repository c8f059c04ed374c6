-- Deletes gauges that are older than any page shows.
DELETE FROM message_gauge WHERE minute < now() - interval '8 days'
