-- Starts the quiet time of a rule: an alert that opens in it sends no notices.
UPDATE watch_rule
   SET told_at = clock_timestamp()
 WHERE rule_id = %(rule_id)s
