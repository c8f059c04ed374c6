-- One row: whether every entry between two ids is older than the age limit.
SELECT coalesce(max(at) < now() - make_interval(months => %(months)s), true)
  FROM audit_entry
 WHERE entry_id BETWEEN %(first_id)s AND %(last_id)s
