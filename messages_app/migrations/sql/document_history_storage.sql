-- Small, with rows written and removed all the time.
ALTER TABLE document_open SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
