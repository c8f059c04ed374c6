-- Triggers, because a hub may write the history without the console, and the few open documents could not be found
-- among ten million entries. A completed entry that comes before its processing one leaves a row here: a reader of the
-- table checks the history again.
CREATE FUNCTION document_history_opened() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO document_open (trigger_id, document_uuid, time, line_no)
  VALUES (NEW.trigger_id, NEW.document_uuid, NEW.time,
          document_line_no(NEW.trigger_id, NEW.document_uuid))
  ON CONFLICT (trigger_id, document_uuid) DO UPDATE SET time = excluded.time;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION document_history_closed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  DELETE FROM document_open WHERE trigger_id = NEW.trigger_id AND document_uuid = NEW.document_uuid;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION document_history_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  DELETE FROM document_open AS open
   USING removed
   WHERE open.trigger_id = removed.trigger_id
     AND open.document_uuid = removed.document_uuid
     AND removed.status = 'processing';
  RETURN NULL;
{gap}END
$$;
CREATE TRIGGER document_history_opens AFTER INSERT ON document_history
  FOR EACH ROW WHEN (NEW.status = 'processing') EXECUTE FUNCTION document_history_opened();
CREATE TRIGGER document_history_opens_again AFTER UPDATE ON document_history
  FOR EACH ROW WHEN (NEW.status = 'processing') EXECUTE FUNCTION document_history_opened();
CREATE TRIGGER document_history_closes AFTER INSERT ON document_history
  FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION document_history_closed();
CREATE TRIGGER document_history_removes AFTER DELETE ON document_history
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION document_history_removed();
