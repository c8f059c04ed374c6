"""The hub's tables in Django's admin. messages_app/admin.py imports this module to register them."""

from messages_app.messages.admin import message_tables, traffic_tables

__all__ = ["message_tables", "traffic_tables"]
