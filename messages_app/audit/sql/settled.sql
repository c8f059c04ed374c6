-- One row, or none yet: the id up to which no further entries can appear. An id is assigned before its
-- transaction ends, so smaller ids than the greatest visible one may still appear. One pass records the
-- greatest id (seen), the next one the transactions that are open then (waits_for). When all of these have
-- ended, no smaller id can appear.
SELECT waiting
  FROM audit_mark
 WHERE pg_snapshot_xmin(pg_current_snapshot()) >= waits_for
