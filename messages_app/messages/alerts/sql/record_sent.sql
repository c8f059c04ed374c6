-- Records that a notice was sent.
UPDATE alert_notice
   SET sent_at = clock_timestamp(), next_at = NULL, error = ''
 WHERE notice_id = %(notice_id)s
