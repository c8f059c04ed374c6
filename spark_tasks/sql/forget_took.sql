-- One row per previous duration.
DELETE FROM message_took
