-- One row: the time of the last pass and its age in seconds; NULL before the first pass.
SELECT max(done_at), extract(epoch FROM clock_timestamp() - max(done_at))
  FROM rollup_pass
 WHERE name = 'fold'
