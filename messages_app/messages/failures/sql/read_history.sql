-- One row: the number of messages that were read, their lowest id, the times of receipt of the oldest and the newest of
-- them, and the number of failures of the last day that now wait for their groups. These are messages that are FAILED
-- and in no group, because they failed before the console was installed. Messages are read by their primary key.
WITH part AS MATERIALIZED (
  SELECT msg_id, receive_timestamp, coalesce(last_process_timestamp, receive_timestamp) AS at, state
    FROM message
   WHERE msg_id < %(before)s
   ORDER BY msg_id DESC
   LIMIT %(most)s
), failed AS MATERIALIZED (
  SELECT msg_id, at
    FROM part
   WHERE state = 'FAILED'
     AND at >= now() - interval '25 hours'
     AND NOT EXISTS (SELECT FROM failure_member WHERE failure_member.msg_id = part.msg_id)
     AND NOT EXISTS (SELECT FROM new_failure WHERE new_failure.msg_id = part.msg_id)
), added AS (
  INSERT INTO new_failure (msg_id, at, service_name, operation_name, failed_error_code, text)
  SELECT failed.msg_id, failed.at, own.service_name, own.operation_name, own.failed_error_code, own.text
    FROM failed
   CROSS JOIN LATERAL (SELECT service_name::varchar(30), operation_name::varchar(100),
                              coalesce(failed_error_code, '')::varchar(5) AS failed_error_code,
                              failure_excerpt(coalesce(failed_desc, '')) AS text
                         FROM message
                        WHERE message.msg_id = failed.msg_id
                        LIMIT 1) AS own
   ORDER BY failed.at
  RETURNING msg_id
)
SELECT count(*), min(msg_id), min(receive_timestamp), max(receive_timestamp), (SELECT count(*) FROM added)
  FROM part
