-- As many rows as went from the live table to the archive: one statement, so no row is in both or in none.
WITH moved AS (
  DELETE FROM {live} WHERE {chosen} RETURNING {columns}
)
INSERT INTO {archive} ({columns}) SELECT {columns} FROM moved
