-- One row: the moment of acceptance, and the age limit (that moment where there is none).
SELECT now(),
       now() - make_interval(months => coalesce(%(older_than_months)s::int, 0))
