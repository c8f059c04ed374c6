-- Compares calls, and those of messages, with how the pass found them last, and notes them. One row for each target,
-- service, minute and duration of calls that ended after that. Rows are looked up one by one, because a join might read
-- whole tables.
--
-- The time of a call is from its last change in PROCESSING to its end. If no pass saw it in PROCESSING, it is from its
-- creation, unless the message has failed before.
WITH chosen AS (
  SELECT unnest(%(call_ids)s::bigint[]) AS call_id
   UNION
  SELECT own.call_id
    FROM unnest(%(msg_ids)s::bigint[]) AS one (msg_id)
   CROSS JOIN LATERAL (SELECT external_call.call_id
                         FROM external_call
                        WHERE external_call.msg_id = one.msg_id
                        ORDER BY external_call.call_id DESC
                        LIMIT %(most_of_message)s) AS own
), found AS MATERIALIZED (
  SELECT call.*, known.state AS old_state, known.updated_at AS old_updated_at
    FROM chosen
   CROSS JOIN LATERAL (SELECT external_call.call_id, external_call.msg_id, operation_name, external_call.state,
                              creation_timestamp, last_update_timestamp
                         FROM external_call
                        WHERE external_call.call_id = chosen.call_id
                       OFFSET 0) AS call
    LEFT JOIN LATERAL (SELECT counted_call.state, counted_call.updated_at
                         FROM counted_call
                        WHERE counted_call.call_id = chosen.call_id
                       OFFSET 0) AS known ON true
), changed AS MATERIALIZED (
  SELECT found.*, owner.service_name, owner.failed_count
    FROM found
    LEFT JOIN LATERAL (SELECT message.service_name, message.failed_count
                         FROM message
                        WHERE message.msg_id = found.msg_id
                       OFFSET 0) AS owner ON true
   WHERE CASE WHEN old_state IS NULL THEN call_id > %(safe)s OR last_update_timestamp >= %(kept_from)s
              ELSE (old_state, old_updated_at) IS DISTINCT FROM (found.state, last_update_timestamp) END
), noted AS (
  INSERT INTO counted_call (call_id, state, updated_at)
  SELECT call_id, state, last_update_timestamp FROM changed ORDER BY call_id
  ON CONFLICT (call_id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
), gone AS (
  DELETE FROM counted_call
   WHERE call_id = ANY (%(open_ids)s::bigint[])
     AND NOT EXISTS (SELECT FROM found WHERE found.call_id = counted_call.call_id)
)
SELECT operation_name, service_name, kept_call_minute(last_update_timestamp) AS minute,
       CASE WHEN old_state = 'PROCESSING' THEN took_step(old_updated_at, last_update_timestamp)
            WHEN old_state IS NULL AND call_id > %(safe)s AND failed_count = 0
            THEN took_step(creation_timestamp, last_update_timestamp) END AS step,
       count(*) FILTER (WHERE state = 'OK') AS succeeded,
       count(*) FILTER (WHERE NOT state = 'OK') AS failed
  FROM changed
 WHERE state IN ('OK', 'FAILED', 'FAILED_END')
   AND service_name IS NOT NULL
   AND NOT operation_name = %(confirmation)s
   AND isfinite(last_update_timestamp)
 GROUP BY 1, 2, 3, 4
