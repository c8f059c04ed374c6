-- How many are queued. The first condition is that of the index.
SELECT count(*)
  FROM message_line
 WHERE status IN (1, 3)
   AND status = 3
