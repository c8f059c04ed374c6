-- One row per change that this snapshot contains, and so its counts.
DELETE FROM message_change
