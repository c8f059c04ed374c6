-- FULL JOIN and MATERIALIZED: as in message_triggers.sql, so that a plan kept from a statement of one row never
-- compares each row of a later one with each other.
CREATE FUNCTION message_line_of_step() RETURNS trigger LANGUAGE plpgsql AS $$
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
END
$$;
