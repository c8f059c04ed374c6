-- Every processed message leaves two dead rows, and their index entries are where the next pickup searches. So the
-- table is vacuumed soon and at full speed, and its indexes each time: by default they wait until two in a hundred pages
-- have dead rows.
ALTER TABLE oscpmqueue SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                            autovacuum_vacuum_cost_delay = 0, vacuum_index_cleanup = on);
ALTER TABLE cp_deferred SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
                             autovacuum_vacuum_cost_delay = 0, vacuum_index_cleanup = on);
ALTER TABLE cp_reservation SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE cp_service SET (fillfactor = 50);
ALTER TABLE cp_lost_pickup SET (fillfactor = 50);
