-- Records why a notice could not be sent. After max_attempts attempts, it is not due again; before that, it is due
-- after the pause that the receiver asks for, if that is longer.
UPDATE alert_notice
   SET error = %(error)s,
       next_at = CASE WHEN attempts < %(max_attempts)s
                      THEN greatest(next_at, clock_timestamp() + make_interval(secs => %(pause)s)) END
 WHERE notice_id = %(notice_id)s AND sent_at IS NULL
