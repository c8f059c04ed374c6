-- One row, the entries that the next pass may seal (audit/sql/settled.sql).
CREATE TABLE audit_mark (
  mark_id int PRIMARY KEY CHECK (mark_id = 1),
  seen bigint NOT NULL,
  waiting bigint NOT NULL,
  waits_for xid8 NOT NULL
);
