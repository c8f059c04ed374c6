-- As many rows as had their last failure more than a day ago; nobody waits longer than a quarter of an hour for one.
DELETE FROM login_failure WHERE last_at < clock_timestamp() - interval '1 day'
