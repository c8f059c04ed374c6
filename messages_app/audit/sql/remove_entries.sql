-- One row for each entry between two ids. The table refuses the removal of entries without a tombstone.
DELETE FROM audit_entry
 WHERE entry_id BETWEEN %(first_id)s AND %(last_id)s
