-- One row per row stored in the archive; the rows are still in the live table.
INSERT INTO {archive} ({columns}) SELECT {columns} FROM {live} WHERE {chosen}
