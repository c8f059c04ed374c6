-- One row for each count whose last failure is more than a day old. No failure blocks for more than a quarter
-- of an hour.
DELETE FROM login_failure WHERE last_at < clock_timestamp() - interval '1 day'
