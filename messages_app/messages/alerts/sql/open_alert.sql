-- One row: the new alert, and whether it is quiet. No row if the rule has an open alert, is disabled or is deleted.
INSERT INTO alert (rule_id, opened_at, value, worst, is_quiet)
SELECT rule_id, clock_timestamp(), %(value)s, %(value)s,
       coalesce(told_at > clock_timestamp() - make_interval(mins => quiet_minutes), false)
  FROM watch_rule
 WHERE rule_id = %(rule_id)s AND enabled
ON CONFLICT (rule_id) WHERE closed_at IS NULL DO NOTHING
RETURNING alert_id, is_quiet
