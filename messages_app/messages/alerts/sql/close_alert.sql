-- One row, the alert that is closed by this and whether it was a quiet one; none where no alert is open.
UPDATE alert
   SET closed_at = clock_timestamp(), value = coalesce(%(value)s, value)
 WHERE rule_id = %(rule_id)s AND closed_at IS NULL
RETURNING alert_id, is_quiet
