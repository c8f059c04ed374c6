-- One row: the role of this connection, and whether it may remove events of messages. Only the owner of the
-- tables and the part that erases may (audit/privileges.py).
SELECT current_user, has_table_privilege('message_event', 'DELETE')
