-- One row per cell and minute since a time: the cell, the minute since 1970, and the failures.
SELECT cell_id, (extract(epoch FROM minute) / 60)::bigint, failures
  FROM failure_cell_minute
 WHERE minute >= %(since)s
   AND minute <= clock_timestamp()
