-- One row: when the last pass was done, NULL before the first, and for how many seconds that has been.
SELECT max(done_at), extract(epoch FROM clock_timestamp() - max(done_at))
  FROM rollup_pass
 WHERE name = 'fold'
