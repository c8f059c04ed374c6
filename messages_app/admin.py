"""
The framework looks here for what the admin shows; each room keeps its own.

The hub's tables are not among it: the console's pages show them, and nothing may edit them.
"""

from messages_app.access import admin
from messages_app.messages.failures import admin as failing_admin

__all__ = ["admin", "failing_admin"]
