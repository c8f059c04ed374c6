-- One row: the time of acceptance, and the age limit (the same time without a limit).
SELECT now(),
       now() - make_interval(months => coalesce(%(older_than_months)s::int, 0))
