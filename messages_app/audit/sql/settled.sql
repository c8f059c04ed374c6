-- One row, or none yet: the id up to which every entry is there that will ever be. An id is given out before its
-- transaction ends, so the greatest id that is seen proves nothing. It is noted (seen); with the next pass the
-- transactions that are open are noted too (waits_for); when all of these have ended, nothing below can still come.
SELECT waiting
  FROM audit_mark
 WHERE pg_snapshot_xmin(pg_current_snapshot()) >= waits_for
