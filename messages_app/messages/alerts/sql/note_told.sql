-- From now on the rule is quiet for a while.
UPDATE watch_rule
   SET told_at = clock_timestamp()
 WHERE rule_id = %(rule_id)s
