-- One row: the role of this connection, and whether it may remove entries and leave a tombstone.
SELECT current_user, has_table_privilege('audit_entry', 'DELETE') AND has_table_privilege('audit_tombstone', 'INSERT')
