-- One row: the role of this connection, and whether it belongs to the owner of the console's tables.
SELECT current_user, pg_has_role((SELECT relowner FROM pg_class WHERE oid = 'audit_entry'::regclass), 'MEMBER')
