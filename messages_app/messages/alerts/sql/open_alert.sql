-- One row, the new alert and whether to be quiet about it; none where the rule has an open one, or is gone.
INSERT INTO alert (rule_id, opened_at, value, worst, is_quiet)
SELECT rule_id, clock_timestamp(), %(value)s, %(value)s,
       coalesce(told_at > clock_timestamp() - make_interval(mins => quiet_minutes), false)
  FROM watch_rule
 WHERE rule_id = %(rule_id)s AND enabled
ON CONFLICT (rule_id) WHERE closed_at IS NULL DO NOTHING
RETURNING alert_id, is_quiet
