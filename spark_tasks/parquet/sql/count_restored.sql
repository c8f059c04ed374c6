-- One row changed: so many more of the part are restored; all of them, and its files do not count any more.
UPDATE cold_part
   SET restored = restored + %(restored)s,
       restored_ids = restored_ids || %(restored_ids)s,
       emptied_at = CASE WHEN restored + %(restored)s >= kept THEN clock_timestamp() END
 WHERE part_id = %(part_id)s
