-- One row, or none before the first poll: the time of the last poll, its age in seconds, and the time at which all messages
-- had been compared.
SELECT polled_at, extract(epoch FROM clock_timestamp() - polled_at)::float8, swept_at
  FROM polling
