-- Notes what an open alert's rule measures now.
UPDATE alert
   SET value = %(value)s, worst = greatest(worst, %(value)s)
 WHERE rule_id = %(rule_id)s AND closed_at IS NULL
