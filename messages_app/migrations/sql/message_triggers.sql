-- Their functions are in message_functions.sql.
CREATE TRIGGER message_updated AFTER UPDATE ON message
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_updated_messages();
CREATE TRIGGER message_inserted AFTER INSERT ON message
  REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION note_inserted_messages();
CREATE TRIGGER message_deleted AFTER DELETE ON message
  REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_messages();
CREATE TRIGGER message_truncated AFTER TRUNCATE ON message
  FOR EACH STATEMENT EXECUTE FUNCTION note_truncated_messages();

-- Always: a move to the archive switches other triggers off (spark_tasks/moves/rows.py).
ALTER TABLE message ENABLE ALWAYS TRIGGER message_updated;
ALTER TABLE message ENABLE ALWAYS TRIGGER message_inserted;
ALTER TABLE message ENABLE ALWAYS TRIGGER message_deleted;
