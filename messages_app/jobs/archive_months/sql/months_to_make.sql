-- One row per month, in UTC, from the current one on: its first day, and that of the month after it.
SELECT first::date, (first + interval '1 month')::date
  FROM generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                       date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => %(ahead)s),
                       interval '1 month') AS first
