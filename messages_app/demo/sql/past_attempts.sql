-- Messages that are not retried any more were processed when they came, or when the system was switched on again.
WITH past AS MATERIALIZED (
  SELECT message_identifier,
         CASE WHEN status = %(gave_up)s
              THEN %(switched_on_at)s + row_number() OVER (ORDER BY number) * interval '2 seconds'
              ELSE least(message_timestamp + interval '2 seconds', last_started_at) END AS at
    FROM message_line
   WHERE status >= %(ended_from)s
), timed_process AS (
  UPDATE message_process AS process
     SET processed_timestamp = past.at
    FROM past
   WHERE process.message_identifier = past.message_identifier
), timed_history AS (
  UPDATE message_history AS history
     SET processed_timestamp = past.at,
         log_text = regexp_replace(history.log_text, '^Attempt of [^\n]*',
                                   to_char(past.at AT TIME ZONE 'UTC',
                                           '"Attempt of "YYYY-MM-DD"T"HH24:MI:SS.US"+00:00."'))
    FROM past
   WHERE history.message_identifier = past.message_identifier
)
UPDATE message_line AS line
   SET last_started_at = past.at,
       last_ended_at = past.at + (line.last_ended_at - line.last_started_at)
  FROM past
 WHERE line.message_identifier = past.message_identifier
