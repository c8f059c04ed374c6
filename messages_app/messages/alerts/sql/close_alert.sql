-- One row: the alert that this statement closes, and whether it is quiet. No row if no alert is open.
UPDATE alert
   SET closed_at = clock_timestamp(), value = coalesce(%(value)s, value)
 WHERE rule_id = %(rule_id)s AND closed_at IS NULL
RETURNING alert_id, is_quiet
