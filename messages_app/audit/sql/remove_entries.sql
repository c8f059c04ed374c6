-- As many rows as entries between two ids. The table refuses it unless they lie under a tombstone.
DELETE FROM audit_entry
 WHERE entry_id BETWEEN %(first_id)s AND %(last_id)s
