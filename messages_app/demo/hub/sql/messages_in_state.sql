-- The due messages among the next ones in one state, in the order of receipt; and the last one read, where the next
-- scan continues. Fenced: a million messages in a state are read in parts.
WITH walked AS MATERIALIZED (
  SELECT msg_id, receive_timestamp, msg_timestamp, operation_name, last_process_timestamp,
         start_process_timestamp
    FROM message
   WHERE state = %(state)s AND state <> %(ok)s
     AND (receive_timestamp, msg_id) > (%(after_time)s::timestamptz, (%(after_id)s)::bigint)
   ORDER BY receive_timestamp, msg_id
   LIMIT %(fence)s
), judged AS (
  SELECT *,
         (%(changed_before)s::timestamptz IS NULL OR last_process_timestamp < %(changed_before)s)
         AND (%(changed_after)s::timestamptz IS NULL OR last_process_timestamp >= %(changed_after)s)
         AND (%(started_before)s::timestamptz IS NULL OR start_process_timestamp < %(started_before)s)
         AND (%(operations)s::text[] IS NULL OR operation_name = ANY (%(operations)s)) IS TRUE AS is_due,
         row_number() OVER (ORDER BY receive_timestamp DESC, msg_id DESC) = 1 AS is_last
    FROM walked
)
SELECT msg_id, receive_timestamp, msg_timestamp, coalesce(is_due, false) AS is_due, is_last
  FROM judged
 WHERE is_due OR is_last
 ORDER BY msg_timestamp, msg_id * %(tie)s
