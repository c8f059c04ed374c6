-- One row: the seals up to this one cannot get late entries (audit/sql/late_entries.sql).
CREATE TABLE audit_mark (
  mark_id int PRIMARY KEY CHECK (mark_id = 1),
  settled bigint NOT NULL DEFAULT 0
);
