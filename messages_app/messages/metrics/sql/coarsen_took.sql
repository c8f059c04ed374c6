-- One row: the number of old rows that were merged into those of their hour or day (kept_minute),
-- or deleted after 40 days, because the pages of services show a month.
WITH old AS (
  DELETE FROM message_took
   WHERE (minute, service_name, step) IN (
           SELECT minute, service_name, step
             FROM message_took
            WHERE minute < now() - interval '25 hours'
              AND (minute <> kept_minute(minute) OR minute < now() - interval '40 days')
            LIMIT %(most)s)
  RETURNING minute, service_name, step, messages
), added AS (
  INSERT INTO message_took (minute, service_name, step, messages)
  SELECT kept_minute(minute), service_name, step, sum(messages)
    FROM old
   WHERE minute >= now() - interval '40 days'
   GROUP BY 1, 2, 3
  ON CONFLICT (minute, service_name, step) DO UPDATE SET messages = message_took.messages + excluded.messages
)
SELECT count(*)
  FROM old
