-- Notes when a rule was looked at, and what was found.
UPDATE watch_rule
   SET checked_at = clock_timestamp(), value = %(value)s, error = %(error)s
 WHERE rule_id = %(rule_id)s
