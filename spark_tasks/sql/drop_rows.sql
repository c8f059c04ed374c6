-- As many rows as are deleted from the live table.
DELETE FROM {live} WHERE {chosen}
