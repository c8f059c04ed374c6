-- Before polling begins, no message is known.
TRUNCATE polled_message
