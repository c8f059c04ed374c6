-- One row: the moment of acceptance, the age limit (that moment where there is none), and the last message that
-- may be in the set.
SELECT now(),
       now() - make_interval(months => coalesce(%(older_than_months)s::int, 0)),
       greatest((SELECT max(msg_id) FROM message), (SELECT max(msg_id) FROM archive_message))
