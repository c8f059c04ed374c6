-- One row: the number of waiting failures that were removed and counted. Removing and counting are one statement, so each
-- failure is counted once. A place is a group and a cell, by its number.
WITH place AS MATERIALIZED (
  SELECT number - 1 AS number, group_id, cell_id
    FROM unnest(%(groups)s::bigint[], %(cells)s::bigint[]) WITH ORDINALITY AS place (group_id, cell_id, number)
), placed AS MATERIALIZED (
  SELECT failure_id, place.group_id, place.cell_id
    FROM unnest(%(failures)s::bigint[], %(numbers)s::integer[]) AS failure (failure_id, number)
    JOIN place USING (number)
), removed AS (
  DELETE FROM new_failure
   USING placed
   WHERE new_failure.failure_id = placed.failure_id
     AND new_failure.failure_id BETWEEN %(first)s AND %(last)s
  RETURNING new_failure.msg_id, least(new_failure.at, clock_timestamp()) AS at, placed.group_id, placed.cell_id
), minutes AS (
  INSERT INTO failure_minute (group_id, minute, failures)
  SELECT group_id, kept_minute(at), count(*)
    FROM removed
   GROUP BY 1, 2
   ORDER BY 1, 2
  ON CONFLICT (group_id, minute) DO UPDATE SET failures = failure_minute.failures + excluded.failures
), cell_minutes AS (
  INSERT INTO failure_cell_minute (cell_id, minute, failures)
  SELECT cell_id, kept_minute(at), count(*)
    FROM removed
   GROUP BY 1, 2
   ORDER BY 1, 2
  ON CONFLICT (cell_id, minute) DO UPDATE SET failures = failure_cell_minute.failures + excluded.failures
), members AS (
  -- The newest failure of each message.
  INSERT INTO failure_member AS known (msg_id, group_id, at, cell_id)
  SELECT DISTINCT ON (msg_id) msg_id, group_id, at, cell_id
    FROM removed
   ORDER BY msg_id, at DESC
  ON CONFLICT (msg_id) DO UPDATE SET group_id = excluded.group_id, at = excluded.at, cell_id = excluded.cell_id
   WHERE excluded.at >= known.at
)
SELECT count(*)
  FROM removed
