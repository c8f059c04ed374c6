-- One row: the number of old rows that were merged into those of their hour, or deleted after 8 days.
WITH old AS (
  DELETE FROM message_took
   WHERE (minute, service_name, step) IN (
           SELECT minute, service_name, step
             FROM message_took
            WHERE minute < now() - interval '25 hours'
              AND (minute <> date_trunc('hour', minute, 'UTC') OR minute < now() - interval '8 days')
            LIMIT %(most)s)
  RETURNING minute, service_name, step, messages
), added AS (
  INSERT INTO message_took (minute, service_name, step, messages)
  SELECT date_trunc('hour', minute, 'UTC'), service_name, step, sum(messages)
    FROM old
   WHERE minute >= now() - interval '8 days'
   GROUP BY 1, 2, 3
  ON CONFLICT (minute, service_name, step) DO UPDATE SET messages = message_took.messages + excluded.messages
)
SELECT count(*)
  FROM old
