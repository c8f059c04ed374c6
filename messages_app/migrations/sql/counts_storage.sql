-- Written and emptied all the time: vacuumed by their size, which is small, not by a share of it.
ALTER TABLE message_change SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
                                autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE message_rollup SET (fillfactor = 80);
ALTER TABLE new_failure SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
