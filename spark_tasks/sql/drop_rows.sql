-- One row per row deleted from the live table.
DELETE FROM {live} WHERE {chosen}
