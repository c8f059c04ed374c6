"""
Django imports this module to find the admin classes; each package defines its own.

The hub's tables are not in the admin: the console's pages show them, and no one may edit them.
"""

from messages_app.access import admin
from messages_app.messages.failures import admin as failing_admin

__all__ = ["admin", "failing_admin"]
