"""
Django imports this module to find the admin classes: those of each store's tables, of error codes, and of
access/admin.py.
"""

from importlib import import_module

from django.contrib import admin
from django.http import HttpRequest

from messages_app.access import admin as access_admin
from messages_app.access.admin import AuditedAdmin
from messages_app.core.stores import installed_stores
from messages_app.messages.failures.models import ErrorCode

__all__ = ["ErrorCodeAdmin", "access_admin"]


@admin.register(ErrorCode)
class ErrorCodeAdmin(AuditedAdmin):
    """Codes of users can be added and deleted; the hub's own can only be changed."""

    list_display = ["code", "description", "action", "is_own"]
    search_fields = ["code", "description"]

    def get_readonly_fields(self, request: HttpRequest, obj: ErrorCode | None = None) -> list[str]:
        return ["code"] if obj else []

    def has_delete_permission(self, request: HttpRequest, obj: ErrorCode | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not (obj and obj.is_own)


for _module in (store.admin for store in installed_stores() if store.admin):
    import_module(_module)
