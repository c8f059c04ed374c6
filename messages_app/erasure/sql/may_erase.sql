-- One row: the role of this connection, and whether it may remove what happened to a message, as the owner of the tables
-- and the part that erases alone may (audit/privileges.py).
SELECT current_user, has_table_privilege('message_event', 'DELETE')
