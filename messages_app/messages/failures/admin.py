"""The catalogue of error codes in the admin: the hub's own may be changed, others also added and deleted."""

from django.contrib import admin
from django.http import HttpRequest

from messages_app.access.admin import AuditedAdmin
from messages_app.messages.failures.models import ErrorCode


@admin.register(ErrorCode)
class ErrorCodeAdmin(AuditedAdmin):
    list_display = ["code", "description", "action", "is_own"]
    search_fields = ["code", "description"]

    def get_readonly_fields(self, request: HttpRequest, obj: ErrorCode | None = None) -> list[str]:
        return ["code"] if obj else []

    def has_delete_permission(self, request: HttpRequest, obj: ErrorCode | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not (obj and obj.is_own)
