DELETE FROM trigger_gap
 WHERE gap_id = ANY (%(ids)s)
