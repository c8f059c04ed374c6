-- One row: when a file that is ready now is removed.
SELECT now() + make_interval(days => %(days)s)
