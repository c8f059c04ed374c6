-- As many rows as are stored in the archive; they are still in the live table.
INSERT INTO {archive} ({columns}) SELECT {columns} FROM {live} WHERE {chosen}
