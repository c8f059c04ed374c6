-- One row: the number of differences between these messages and the copies of the last poll. They are recorded as triggers
-- do (migrations/sql/message_functions.sql), and the copies are replaced.
--
-- LATERAL with LIMIT, so that each message is found by its id under any plan. A message that was not known is new,
-- unless transactions that could insert it ended long ago: then it was restored from an archive, or was there before.
WITH asked AS MATERIALIZED (
  SELECT DISTINCT msg_id
    FROM unnest(%(msg_ids)s::bigint[]) AS asked (msg_id)
), pair AS MATERIALIZED (
  SELECT asked.msg_id,
         coalesce(before.last_process_timestamp, before.receive_timestamp) AS old_changed,
         before.state AS old_state,
         before.service_name AS old_service,
         before.operation_name AS old_operation,
         before.source_system AS old_source,
         before.failed_error_code AS old_code,
         coalesce(after.last_process_timestamp, after.receive_timestamp) AS changed,
         after.receive_timestamp,
         after.last_process_timestamp,
         after.state,
         after.service_name,
         after.operation_name,
         after.source_system,
         after.failed_error_code AS code,
         CASE WHEN before IS NULL
              THEN asked.msg_id > %(safe)s OR after.receive_timestamp > clock_timestamp() - interval '1 hour'
              ELSE after.state <> before.state END AS has_entered
    FROM asked
    LEFT JOIN LATERAL (SELECT receive_timestamp, last_process_timestamp, state, service_name, operation_name,
                              source_system, failed_error_code
                         FROM polled_message
                        WHERE polled_message.msg_id = asked.msg_id
                        LIMIT 1) AS before ON true
    LEFT JOIN LATERAL (SELECT receive_timestamp, last_process_timestamp, state::varchar(15),
                              service_name::varchar(30), operation_name::varchar(100),
                              source_system::varchar(15), coalesce(failed_error_code, '')::varchar(5) AS failed_error_code
                         FROM message
                        WHERE message.msg_id = asked.msg_id
                        LIMIT 1) AS after ON true
   WHERE before IS DISTINCT FROM after
), entered AS MATERIALIZED (
  SELECT pair.*,
         operator.actor,
         -- A cancel does not write a time.
         CASE WHEN changed > coalesce(old_changed, '-infinity') AND changed <= clock_timestamp() THEN changed
              ELSE coalesce(operator.at, clock_timestamp()) END AS at
    FROM pair
    LEFT JOIN LATERAL (SELECT done.actor, done.at
                         FROM (SELECT actor, at
                                 FROM audit_entry
                                WHERE audit_entry.msg_id = pair.msg_id
                                  AND outcome = 'done'
                                  AND after_state = pair.state
                                UNION ALL
                               -- A chunk has a time only at its end. A message without outcome has no new state.
                               SELECT created_by, coalesce(committed_at, clock_timestamp())
                                 FROM job_ledger
                                 JOIN job_chunk USING (job_id, chunk_no)
                                 JOIN job USING (job_id)
                                WHERE job_ledger.msg_id = pair.msg_id
                                  AND job_ledger.old_state = pair.old_state
                                  AND job_ledger.new_state = pair.state) AS done (actor, at)
                        WHERE done.at > coalesce((SELECT message_event.at
                                                    FROM message_event
                                                   WHERE message_event.msg_id = pair.msg_id
                                                   ORDER BY event_id DESC
                                                   LIMIT 1), old_changed)
                        ORDER BY done.at DESC
                        LIMIT 1) AS operator ON true
   WHERE has_entered
), gone AS (
  DELETE FROM polled_message
   USING pair
   WHERE polled_message.msg_id = pair.msg_id
     AND pair.state IS NULL
), stored AS (
  INSERT INTO polled_message (msg_id, receive_timestamp, last_process_timestamp, state, service_name, operation_name,
                              source_system, failed_error_code)
  SELECT msg_id, receive_timestamp, last_process_timestamp, state, service_name, operation_name, source_system, code
    FROM pair
   WHERE state IS NOT NULL
  ON CONFLICT (msg_id) DO UPDATE
     SET receive_timestamp = excluded.receive_timestamp,
         last_process_timestamp = excluded.last_process_timestamp,
         state = excluded.state,
         service_name = excluded.service_name,
         operation_name = excluded.operation_name,
         source_system = excluded.source_system,
         failed_error_code = excluded.failed_error_code
), moved AS (
  INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
  SELECT msg_id, old_state, state, actor, at
    FROM entered
   WHERE old_state IS NOT NULL
   ORDER BY at, msg_id
), failed AS (
  -- `group_failures` may have been faster.
  INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
  SELECT msg_id, at, service_name, operation_name, code,
         (SELECT failure_excerpt(coalesce(failed_desc, '')) FROM message WHERE message.msg_id = entered.msg_id)
    FROM entered
   WHERE state = 'FAILED'
     AND NOT EXISTS (SELECT
                       FROM failure_member
                      WHERE failure_member.msg_id = entered.msg_id
                        AND failure_member.at >= date_trunc('second', entered.at))
), counted AS (
  INSERT INTO message_change (minute, state, service_name, operation_name, source_system, failed_error_code,
                              present, entered, took)
  SELECT minute, state, service_name, operation_name, source_system, code,
         sum(present), sum(entered), array_agg(took) FILTER (WHERE took IS NOT NULL)
    FROM (SELECT kept_minute(old_changed) AS minute, old_state AS state, old_service AS service_name,
                 old_operation AS operation_name, old_source AS source_system, old_code AS code,
                 -1 AS present, 0 AS entered, NULL::smallint AS took
            FROM pair
           WHERE old_state IS NOT NULL
           UNION ALL
          SELECT kept_minute(changed), state, service_name, operation_name, source_system, code, 1, 0, NULL
            FROM pair
           WHERE state IS NOT NULL
           UNION ALL
          SELECT kept_minute(at), state, service_name, operation_name, source_system, code, 0, 1,
                 CASE WHEN state IN ('OK', 'FAILED') THEN took_step(receive_timestamp, at) END
            FROM entered) AS change
   GROUP BY 1, 2, 3, 4, 5, 6
  HAVING sum(present) <> 0 OR sum(entered) <> 0
)
SELECT count(*) FROM pair
