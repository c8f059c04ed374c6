-- Records the time and the result of a check of a rule.
UPDATE watch_rule
   SET checked_at = clock_timestamp(), value = %(value)s, error = %(error)s
 WHERE rule_id = %(rule_id)s
