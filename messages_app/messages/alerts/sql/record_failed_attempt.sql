-- Records why a notice could not be sent. After max_attempts attempts, it is not due again.
UPDATE alert_notice
   SET error = %(error)s, next_at = CASE WHEN attempts < %(max_attempts)s THEN next_at END
 WHERE notice_id = %(notice_id)s AND sent_at IS NULL
