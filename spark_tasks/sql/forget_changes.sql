-- As many changes as this snapshot sees: they are in what was counted in it.
DELETE FROM message_change
