-- Stores the current value in a rule's open alert. No row if no alert is open.
UPDATE alert
   SET value = %(value)s, worst = greatest(worst, %(value)s)
 WHERE rule_id = %(rule_id)s AND closed_at IS NULL
