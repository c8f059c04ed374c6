-- One row: decreases the part's number of messages, and of restored messages, by the given numbers.
UPDATE cold_part
   SET kept = kept - %(erased)s,
       restored = restored - %(restored)s,
       emptied_at = CASE WHEN restored - %(restored)s >= kept - %(erased)s
                         THEN coalesce(emptied_at, clock_timestamp()) END
 WHERE part_id = %(part_id)s
