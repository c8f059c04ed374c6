-- One row changed: increases the part's number of restored messages. If all are restored, its files no longer
-- count.
UPDATE cold_part
   SET restored = restored + %(restored)s,
       restored_ids = restored_ids || %(restored_ids)s,
       emptied_at = CASE WHEN restored + %(restored)s >= kept THEN clock_timestamp() END
 WHERE part_id = %(part_id)s
