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
