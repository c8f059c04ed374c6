-- As many times that messages took as there were.
DELETE FROM message_took
