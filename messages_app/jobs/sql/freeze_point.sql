-- One row: the moment of acceptance, the age limit, and the last message that may be in the set.
SELECT now(),
       now() - make_interval(months => %(older_than_months)s),
       (SELECT max(msg_id) FROM message)
