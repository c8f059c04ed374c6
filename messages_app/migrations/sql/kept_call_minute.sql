-- The map shows an hour by minutes, and a day or 7 days by hours; pages of a service compare hours with those a week
-- before. The limits leave some room.
CREATE FUNCTION kept_call_minute(at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT date_trunc(CASE WHEN at < now() - interval '15 days' THEN 'day'
                         WHEN at < now() - interval '3 hours' THEN 'hour'
                         ELSE 'minute' END, at, 'UTC')
$$;
