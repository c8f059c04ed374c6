-- Keep one narrow row, a line, for each message. Triggers, because a hub may write its tables without the console, and
-- its columns stay as they are.

-- Lines of rows in the store.
CREATE FUNCTION message_line_of_store() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_line AS line
         (message_identifier, message_timestamp, source_system, source_entity, status, has_store)
  SELECT message_identifier, coalesce(message_timestamp, effective_timestamp, clock_timestamp()),
         source_system, source_entity, 0, true
    FROM written
  ON CONFLICT (message_identifier) DO UPDATE
     SET message_timestamp = excluded.message_timestamp,
         source_system = excluded.source_system,
         source_entity = excluded.source_entity,
         status = coalesce(line.status, 0),
         has_store = true;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION message_line_without_store() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE message_line AS line
     SET has_store = false, status = CASE WHEN line.has_process THEN line.status END
    FROM removed
   WHERE line.message_identifier = removed.message_identifier;
  DELETE FROM message_line AS line
   USING removed
   WHERE line.message_identifier = removed.message_identifier
     AND NOT line.has_process
     AND NOT EXISTS (SELECT FROM message_history AS history
                      WHERE history.message_identifier = line.message_identifier);
  RETURN NULL;
{gap}END
$$;
CREATE TRIGGER message_store_added AFTER INSERT ON message_store
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_store();
CREATE TRIGGER message_store_changed AFTER UPDATE ON message_store
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_store();
CREATE TRIGGER message_store_removed AFTER DELETE ON message_store
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_line_without_store();

-- Lines of rows in process. An attempt ends when a message leaves status 1; the row had its start until then.
CREATE FUNCTION message_line_of_process() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_line
         (message_identifier, message_timestamp, status, next_attempt_timestamp, claimed_at, has_process)
  SELECT message_identifier, coalesce(processed_timestamp, clock_timestamp()), coalesce(status, 0),
         next_attempt_timestamp, CASE WHEN status IN (1, 3) THEN clock_timestamp() END, true
    FROM written
  ON CONFLICT (message_identifier) DO UPDATE
     SET status = excluded.status,
         next_attempt_timestamp = excluded.next_attempt_timestamp,
         claimed_at = excluded.claimed_at,
         has_process = true;
  RETURN NULL;
{gap}END
$$;
-- FULL JOIN and MATERIALIZED: as in message_functions.sql, so that a plan kept from a statement of one row never
-- compares each row of a later one with each other.
CREATE FUNCTION message_line_of_step() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  WITH step AS MATERIALIZED (
    SELECT written.message_identifier, written.status, written.processed_timestamp,
           written.next_attempt_timestamp,
           previous.status AS old_status, previous.processed_timestamp AS old_processed_timestamp
      FROM written
      FULL JOIN previous ON previous.message_identifier = written.message_identifier
  )
  UPDATE message_line AS line
     SET status = coalesce(step.status, 0),
         next_attempt_timestamp = step.next_attempt_timestamp,
         claimed_at = CASE WHEN step.status NOT IN (1, 3) THEN NULL
                           WHEN (step.status, step.processed_timestamp)
                                IS NOT DISTINCT FROM (step.old_status, step.old_processed_timestamp)
                           THEN line.claimed_at
                           WHEN step.status IN (1, 3) THEN clock_timestamp() END,
         attempts = line.attempts
                    + (step.old_status IS NOT DISTINCT FROM 1 AND step.status IS DISTINCT FROM 1)::int,
         last_started_at = CASE WHEN step.old_status = 1 AND step.status IS DISTINCT FROM 1
                                THEN step.old_processed_timestamp ELSE line.last_started_at END,
         last_ended_at = CASE WHEN step.old_status = 1 AND step.status IS DISTINCT FROM 1
                              THEN clock_timestamp() ELSE line.last_ended_at END
    FROM step
   WHERE line.message_identifier = step.message_identifier;
  RETURN NULL;
{gap}END
$$;
CREATE FUNCTION message_line_without_process() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  UPDATE message_line AS line
     SET has_process = false, status = CASE WHEN line.has_store THEN 0 END,
         next_attempt_timestamp = NULL, claimed_at = NULL
    FROM removed
   WHERE line.message_identifier = removed.message_identifier;
  DELETE FROM message_line AS line
   USING removed
   WHERE line.message_identifier = removed.message_identifier
     AND NOT line.has_store
     AND NOT EXISTS (SELECT FROM message_history AS history
                      WHERE history.message_identifier = line.message_identifier);
  RETURN NULL;
{gap}END
$$;
CREATE TRIGGER message_process_added AFTER INSERT ON message_process
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_process();
CREATE TRIGGER message_process_changed AFTER UPDATE ON message_process
  REFERENCING OLD TABLE AS previous NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_step();
CREATE TRIGGER message_process_removed AFTER DELETE ON message_process
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION message_line_without_process();

-- A history without store and process row is an orphan like the other two. It does not wait: the monitor takes no line
-- that has neither.
CREATE FUNCTION message_line_of_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO message_line (message_identifier, message_timestamp)
  SELECT written.message_identifier, min(written.processed_timestamp)
    FROM written
   WHERE NOT EXISTS (SELECT FROM message_line AS line
                      WHERE line.message_identifier = written.message_identifier)
   GROUP BY written.message_identifier
  ON CONFLICT (message_identifier) DO NOTHING;
  RETURN NULL;
{gap}END
$$;
CREATE TRIGGER message_history_added AFTER INSERT ON message_history
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION message_line_of_history();
