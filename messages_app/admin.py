"""Django imports this module to find the admin classes: those of each store's tables, and access/admin.py."""

from importlib import import_module

from messages_app.access import admin as access_admin
from messages_app.core.stores import installed_stores

__all__ = ["access_admin"]


for _module in (store.admin for store in installed_stores() if store.admin):
    import_module(_module)
