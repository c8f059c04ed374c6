-- One trigger per statement records the hub's changes of messages: the history of states, the counts
-- (decision 0008) and failures. One function records all three, so that an error costs one subtransaction and
-- is one gap. Trigger functions run as their owner, because a hub's own role has no privileges for these
-- tables, and wait for a lock no longer than a hub should.
--
-- The hub waits for these functions, and nearly all of its statements change one message. Such a statement is recorded
-- first, by plain inserts with as few function calls as possible: columns as they are, for which the next pass
-- calculates minutes and durations (parts_of_change). NOT EXISTS with OFFSET is evaluated once, before any join.
-- Everything else is recorded by the second part, which groups its rows.

-- FULL JOIN, because it can never be done row by row. A session keeps the plan of its first statement, often of one
-- row; an inner join would then compare each row of a bulk statement with each other. MATERIALIZED, because a
-- condition above it would make it an inner join again.
CREATE OR REPLACE FUNCTION note_updated_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
BEGIN
  INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
  SELECT after.msg_id, before.state, after.state, nullif(current_setting('hubconsole.actor', true), ''),
         clock_timestamp()
    FROM before
   CROSS JOIN after
   WHERE NOT EXISTS (SELECT FROM after OFFSET 1)
     AND after.msg_id = before.msg_id
     AND after.state <> before.state
     AND after.state <> 'FAILED';
  IF FOUND THEN
    INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                                present, entered, received_at, at, old_minute, old_state, old_service_name,
                                old_operation_name, old_source_system, old_failed_error_code)
    SELECT coalesce(after.last_process_timestamp, after.receive_timestamp), after.state, after.service_name,
           after.operation_name, after.source_system, after.failed_error_code, 1, 1, after.receive_timestamp,
           clock_timestamp(), coalesce(before.last_process_timestamp, before.receive_timestamp), before.state,
           before.service_name, before.operation_name, before.source_system, before.failed_error_code
      FROM before
     CROSS JOIN after;
    RETURN NULL;
  END IF;
  WITH pair AS MATERIALIZED (
    SELECT after.msg_id,
           date_trunc('minute', coalesce(before.last_process_timestamp, before.receive_timestamp), 'UTC')
             AS old_minute,
           before.state AS old_state,
           before.service_name AS old_service,
           before.operation_name AS old_operation,
           before.source_system AS old_source,
           coalesce(before.failed_error_code, '') AS old_code,
           date_trunc('minute', coalesce(after.last_process_timestamp, after.receive_timestamp), 'UTC') AS minute,
           after.state,
           after.service_name,
           after.operation_name,
           after.source_system,
           coalesce(after.failed_error_code, '') AS code,
           after.receive_timestamp,
           CASE WHEN after.state = 'FAILED' AND before.state <> 'FAILED'
                THEN failure_excerpt(coalesce(after.failed_desc, '')) END AS text
      FROM before
      FULL JOIN after ON after.msg_id = before.msg_id
  ), moved AS (
    INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
    SELECT msg_id, old_state, state, nullif(current_setting('hubconsole.actor', true), ''), clock_timestamp()
      FROM pair
     WHERE state <> old_state
  ), failed AS (
    INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
    SELECT msg_id, clock_timestamp(), service_name, operation_name, code, text
      FROM pair
     WHERE state = 'FAILED'
       AND old_state <> 'FAILED'
  )
  -- An update that changes nothing that is counted writes nothing: the sums of its two rows are 0.
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered, took)
  SELECT minute, state, service_name, operation_name, source_system, code,
         sum(present), sum(entered), array_agg(took) FILTER (WHERE took IS NOT NULL)
    FROM (SELECT old_minute AS minute, old_state AS state, old_service AS service_name,
                 old_operation AS operation_name, old_source AS source_system, old_code AS code,
                 -1 AS present, 0 AS entered, NULL::smallint AS took
            FROM pair
           UNION ALL
          SELECT minute, state, service_name, operation_name, source_system, code, 1, 0, NULL
            FROM pair
           UNION ALL
          SELECT date_trunc('minute', clock_timestamp(), 'UTC'), state, service_name, operation_name,
                 source_system, code, 0, 1,
                 CASE WHEN state IN ('OK', 'FAILED') THEN took_step(receive_timestamp, clock_timestamp()) END
            FROM pair
           WHERE state <> old_state) AS change
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(present) <> 0 OR sum(entered) <> 0;
  RETURN NULL;
{gap}END $$;

-- Messages that are restored from the archive entered their state, or failed, long ago, and were recorded
-- then.
CREATE OR REPLACE FUNCTION note_inserted_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
DECLARE
  is_new boolean := coalesce(current_setting('hubconsole.restoring', true), '') = '';
BEGIN
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT coalesce(last_process_timestamp, receive_timestamp), state, service_name, operation_name, source_system,
         failed_error_code, 1, 1
    FROM after
   WHERE is_new
     AND state <> 'FAILED'
     AND NOT EXISTS (SELECT FROM after OFFSET 1);
  IF FOUND THEN
    RETURN NULL;
  END IF;
  WITH failed AS (
    INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
    SELECT msg_id, coalesce(last_process_timestamp, receive_timestamp), service_name, operation_name,
           coalesce(failed_error_code, ''), failure_excerpt(coalesce(failed_desc, ''))
      FROM after
     WHERE is_new
       AND state = 'FAILED'
  )
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT date_trunc('minute', coalesce(last_process_timestamp, receive_timestamp), 'UTC'), state, service_name,
         operation_name, source_system, coalesce(failed_error_code, ''), count(*), count(*) * is_new::integer
    FROM after
   GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
{gap}END $$;

-- Messages go to the archive long after their last change, and counts of old minutes are kept by the day.
CREATE OR REPLACE FUNCTION note_deleted_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
BEGIN
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT kept_minute(coalesce(last_process_timestamp, receive_timestamp)), state, service_name, operation_name,
         source_system, coalesce(failed_error_code, ''), -count(*), 0
    FROM before
   GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
{gap}END $$;

-- No other session can write at the same time, so the counted and the pending changes are complete.
CREATE OR REPLACE FUNCTION note_truncated_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
BEGIN
  -- MATERIALIZED, because PostgreSQL cannot plan the function on rows of the table itself (XX000).
  WITH pending AS MATERIALIZED (
    SELECT message_change AS change
      FROM message_change
  )
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT minute, state, service_name, operation_name, source_system, failed_error_code, -sum(present), 0
    FROM (SELECT minute, state, service_name, operation_name, source_system, failed_error_code, present
            FROM message_rollup
           UNION ALL
          SELECT part.minute, part.state, part.service_name, part.operation_name, part.source_system,
                 part.failed_error_code, part.present
            FROM pending
           CROSS JOIN LATERAL parts_of_change(pending.change) AS part) AS counted
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(present) <> 0;
  RETURN NULL;
{gap}END $$;
