-- One row: the number of totals that were 0 and are deleted.
WITH gone AS (
  DELETE FROM message_total
   WHERE present = 0
  RETURNING 1
)
SELECT count(*)
  FROM gone
