-- One row: the number of items with a newer failure than the counted one, which are stored and counted.
WITH item AS MATERIALIZED (
  SELECT DISTINCT ON (item_key) item_key, cell_id, at, weight
    FROM unnest(%(keys)s::text[], %(cells)s::bigint[], %(ats)s::timestamptz[], %(weights)s::integer[])
         AS item (item_key, cell_id, at, weight)
   ORDER BY item_key, at DESC
), stored AS (
  INSERT INTO failure_item AS known (store, item_key, cell_id, at)
  SELECT %(store)s, item_key, cell_id, at
    FROM item
  ON CONFLICT (store, item_key) DO UPDATE SET cell_id = excluded.cell_id, at = excluded.at
   WHERE excluded.at > known.at
  RETURNING item_key
), minutes AS (
  INSERT INTO failure_cell_minute (cell_id, minute, failures)
  SELECT cell_id, kept_minute(least(at, clock_timestamp())), sum(weight)
    FROM stored
    JOIN item USING (item_key)
   GROUP BY 1, 2
   ORDER BY 1, 2
  ON CONFLICT (cell_id, minute) DO UPDATE SET failures = failure_cell_minute.failures + excluded.failures
)
SELECT count(*)
  FROM stored
