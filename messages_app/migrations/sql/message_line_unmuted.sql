-- The mark belongs to the message in its current status: any change of the status removes it, also one by the hub's own
-- worker.
CREATE FUNCTION message_line_unmuted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.muted_at = NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER message_line_moved BEFORE UPDATE OF status ON message_line
  FOR EACH ROW WHEN (OLD.muted_at IS NOT NULL AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION message_line_unmuted();
