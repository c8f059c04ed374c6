-- One row: the time at which a file that is ready now is removed.
SELECT now() + make_interval(days => %(days)s)
