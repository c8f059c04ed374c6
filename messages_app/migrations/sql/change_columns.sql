-- A hub that runs meanwhile waits for a lock of its triggers' table up to 200 ms, and then records a gap. So this waits
-- less for the hub's transactions, and lets its writers pass before the next attempt.
DO $$
BEGIN
  SET LOCAL lock_timeout = '100ms';
  FOR attempt IN 1..150 LOOP
    BEGIN
      LOCK TABLE message_change IN ACCESS EXCLUSIVE MODE;
      SET LOCAL lock_timeout TO DEFAULT;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.1);
    END;
  END LOOP;
  RAISE lock_not_available USING
    MESSAGE = 'Transactions of the hub hold message_change. Run this again when the hub is less busy.';
END $$;

-- The rows have no key: nothing looks one up, and an index and a sequence would cost the hub more than the row.
ALTER TABLE message_change
  DROP COLUMN change_id,
  ALTER COLUMN failed_error_code DROP NOT NULL,
  ADD COLUMN received_at timestamptz,
  ADD COLUMN at timestamptz,
  ADD COLUMN old_minute timestamptz,
  ADD COLUMN old_state varchar(15),
  ADD COLUMN old_service_name varchar(30),
  ADD COLUMN old_operation_name varchar(100),
  ADD COLUMN old_source_system varchar(15),
  ADD COLUMN old_failed_error_code varchar(5);

-- A publication of all tables, as for a logical replica, otherwise makes the server refuse to delete rows without a key.
ALTER TABLE message_change REPLICA IDENTITY FULL;

-- The counts of a change. Those of one message have its times as they are: `minute` and `old_minute` are when it last
-- changed, and at `at` it entered its state.
CREATE FUNCTION parts_of_change(change message_change)
RETURNS TABLE (minute timestamptz, state varchar, service_name varchar, operation_name varchar, source_system varchar,
               failed_error_code varchar, present integer, entered integer, took smallint[])
LANGUAGE sql STABLE AS $$
  SELECT date_trunc('minute', change.minute, 'UTC'), change.state, change.service_name, change.operation_name,
         change.source_system, coalesce(change.failed_error_code, ''), change.present,
         CASE WHEN change.at IS NULL THEN change.entered ELSE 0 END, change.took
   UNION ALL
  SELECT date_trunc('minute', change.at, 'UTC'), change.state, change.service_name, change.operation_name,
         change.source_system, coalesce(change.failed_error_code, ''), 0, change.entered,
         CASE WHEN change.state IN ('OK', 'FAILED') THEN ARRAY[took_step(change.received_at, change.at)] END
   WHERE change.at IS NOT NULL
   UNION ALL
  SELECT date_trunc('minute', change.old_minute, 'UTC'), change.old_state, change.old_service_name,
         change.old_operation_name, change.old_source_system, coalesce(change.old_failed_error_code, ''), -1, 0, NULL
   WHERE change.old_state IS NOT NULL
$$;
