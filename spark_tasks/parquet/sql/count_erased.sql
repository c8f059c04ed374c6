-- One row: the part has so many messages less, of which some had been restored from it before.
UPDATE cold_part
   SET kept = kept - %(erased)s,
       restored = restored - %(restored)s,
       emptied_at = CASE WHEN restored - %(restored)s >= kept - %(erased)s
                         THEN coalesce(emptied_at, clock_timestamp()) END
 WHERE part_id = %(part_id)s
