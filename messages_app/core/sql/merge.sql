-- Rows of one reason become one, so that a reason that lasts fills no disk. A row that was merged since somebody saw it
-- is another one, and stays when that one is closed.
WITH taken AS (
  DELETE FROM trigger_gap
   WHERE (area, sqlstate) IN (SELECT area, sqlstate FROM trigger_gap GROUP BY area, sqlstate HAVING count(*) > 1)
  RETURNING *
)
INSERT INTO trigger_gap (area, sqlstate, reason, first_at, last_at, statements)
SELECT area, sqlstate, (array_agg(reason ORDER BY last_at DESC))[1], min(first_at), max(last_at), sum(statements)
  FROM taken
 GROUP BY area, sqlstate
