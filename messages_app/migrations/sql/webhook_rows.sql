-- The position in the history of messages, and the jobs that ended before there were webhooks.
INSERT INTO webhook_position (id) VALUES (1);
UPDATE job SET is_end_noted = true WHERE finished_at IS NOT NULL;
