-- Windows of pages are an hour, three hours, a day and 7 days; the limits leave some room. How long a message took is
-- kept as a power of 2 in quarters: a step is a fifth more.
CREATE FUNCTION kept_minute(at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc(CASE WHEN at < now() - interval '8 days' THEN 'day'
                         WHEN at < now() - interval '25 hours' THEN 'hour'
                         ELSE 'minute' END, at, 'UTC')
$$;
-- The time between infinite times, which PostgreSQL before 17 refuses, counts as none.
CREATE FUNCTION took_step(received timestamptz, ended timestamptz) RETURNS smallint
LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(4 * ln(least(greatest(extract(epoch FROM CASE WHEN isfinite(received) AND isfinite(ended)
                                                             THEN ended - received END)::float8, 0.01), 1e9))
               / ln(2::float8))::smallint
$$;
