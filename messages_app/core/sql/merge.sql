-- Merge the rows of one reason, so that a lasting reason does not fill the disk. A merged row has a new id,
-- so closing the gaps that were seen before does not remove it.
WITH taken AS (
  DELETE FROM trigger_gap
   WHERE (area, sqlstate) IN (SELECT area, sqlstate FROM trigger_gap GROUP BY area, sqlstate HAVING count(*) > 1)
  RETURNING *
)
INSERT INTO trigger_gap (area, sqlstate, reason, first_at, last_at, statements)
SELECT area, sqlstate, (array_agg(reason ORDER BY last_at DESC))[1], min(first_at), max(last_at), sum(statements)
  FROM taken
 GROUP BY area, sqlstate
