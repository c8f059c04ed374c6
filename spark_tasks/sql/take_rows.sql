-- One row: the number of rows moved from the live table to the archive, and their keys. One statement, so
-- that no row is in both tables or in neither.
WITH moved AS (
  DELETE FROM {live} WHERE {chosen} RETURNING {columns}
), stored AS (
  INSERT INTO {archive} ({columns}) SELECT {columns} FROM moved RETURNING {key}
)
SELECT count(*), coalesce(array_agg({key})::text, '{{}}')
  FROM stored
