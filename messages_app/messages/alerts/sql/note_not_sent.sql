-- Notes why a notice could not be sent; after so many tries it is given up.
UPDATE alert_notice
   SET error = %(error)s, next_at = CASE WHEN attempts < %(tries)s THEN next_at END
 WHERE notice_id = %(notice_id)s AND sent_at IS NULL
