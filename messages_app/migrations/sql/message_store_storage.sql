-- Rows of the first are written and removed all the time, and it is small.
ALTER TABLE message_count_change
  SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE message_process SET (fillfactor = 80);
