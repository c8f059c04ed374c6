-- One trigger per statement records the hub's changes of messages: the history of states, the counts
-- (decision 0008) and failures. One function records all three, so that an error costs one subtransaction and
-- is one gap. Trigger functions run as their owner, because a hub's own role has no privileges for these
-- tables, and wait for a lock no longer than a hub should.

-- FULL JOIN, because it can never be done row by row. A session keeps the plan of its first statement, often of one
-- row; an inner join would then compare each row of a bulk statement with each other. MATERIALIZED, because a
-- condition above it would make it an inner join again.
CREATE FUNCTION note_updated_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
BEGIN
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
           CASE WHEN after.state = 'FAILED' THEN left(coalesce(after.failed_desc, ''), 500) END AS text
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
CREATE FUNCTION note_inserted_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
DECLARE
  is_new boolean := coalesce(current_setting('hubconsole.restoring', true), '') = '';
BEGIN
  WITH failed AS (
    INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
    SELECT msg_id, coalesce(last_process_timestamp, receive_timestamp), service_name, operation_name,
           coalesce(failed_error_code, ''), left(coalesce(failed_desc, ''), 500)
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
CREATE FUNCTION note_deleted_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
CREATE FUNCTION note_truncated_messages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET lock_timeout = '200ms' AS $$
BEGIN
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered)
  SELECT minute, state, service_name, operation_name, source_system, failed_error_code, -sum(present), 0
    FROM (SELECT minute, state, service_name, operation_name, source_system, failed_error_code, present
            FROM message_rollup
           UNION ALL
          SELECT minute, state, service_name, operation_name, source_system, failed_error_code, present
            FROM message_change) AS counted
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(present) <> 0;
  RETURN NULL;
{gap}END $$;

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
