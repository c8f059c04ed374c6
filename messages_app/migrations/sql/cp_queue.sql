-- Free messages that wait after a retry. A child table has the parent's columns, but none of its keys and indexes.
CREATE TABLE cp_deferred (
    not_before timestamptz,
    PRIMARY KEY (messageguid)
) INHERITS (oscpmqueue);
CREATE INDEX cp_deferred_due_idx ON cp_deferred (queuename, not_before);
CREATE INDEX cp_deferred_free_idx ON cp_deferred (queuename, created, messageguid);
CREATE INDEX cp_deferred_object_idx ON cp_deferred (queuename, osid);
-- Messages that others reserved without the console: usually none.
CREATE INDEX cp_deferred_lock_idx ON cp_deferred (lock_service, queuename, created, messageguid)
 WHERE lock_service IS NOT NULL;

-- Messages that do not wait.
CREATE VIEW cp_ready AS SELECT * FROM ONLY oscpmqueue;
