"""The rules of all pages of the Django admin. Users, roles, tokens and schedules have pages of their own."""

from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.models import Group, User
from django.db.models import Field, Model, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils.text import capfirst
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from messages_app.access.actors import actor_of
from messages_app.audit import services as audit

# Lists of the admin accept only the filters that they offer, not arbitrary lookups.
#
# Source: docs/contributing/spec/promises.md, S-33.
# The suffixes that Django's filters add to the name of a field.
_ENDINGS = ("", "__exact", "__id__exact", "__isnull", "__gte", "__lt")


class NamedLookups(ModelAdmin):  # type: ignore[type-arg]  # it takes no parameter when it runs
    """
    A mixin for admin pages that only allows the lookups of `list_filter`. It comes before Django's class.

    Any other lookup in the address of a list could reveal columns that the page does not show, or have an
    expression that the database rejects.
    """

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """
        Return the row of an address. The database would raise an error for a key with a NUL, which no row
        has.
        """
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        filters = self.list_filter if request is None else self.get_list_filter(request)
        allowed = {f"{name}{ending}" for name in filters for ending in _ENDINGS}
        return lookup in allowed and "\0" not in value


# The audit log also records actions in the admin, because permissions are changed there.
_SHOWN_CHARACTERS = 200


class AuditedAdmin(NamedLookups):
    """
    The admin of one table. Each row that it adds, changes or deletes gets an audit entry in the same
    transaction.

    The entry names the table, the row and the fields, without their values.
    Source: docs/contributing/spec/promises.md, I-54, S-50.
    """

    def record(self, request: HttpRequest, action: str, row: Model, **details: object) -> None:
        record = {"table": row._meta.db_table, "row": str(row.pk), "name": str(row)[:_SHOWN_CHARACTERS]}
        audit.record_entry(actor=actor_of(request), action=action, details=record | details)

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: object
    ) -> FormField | None:
        """Label both inputs of a time, because the label before them belongs to neither."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, AdminSplitDateTime):
            for box, part in zip(field.widget.widgets, ("date", "time"), strict=True):
                box.attrs["aria-label"] = f"{capfirst(db_field.verbose_name)}: {part}"
        return field

    def log_addition(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        self.record(request, "admin_add", obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        self.record(request, "admin_change", obj, changes=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Model]) -> list[LogEntry] | LogEntry:
        for row in queryset:
            self.record(request, "admin_delete", row)
        return super().log_deletions(request, queryset)


# Users and roles have their own pages.
for model in (User, Group):
    admin.site.unregister(model)
# Schedules have their own pages, with their own checks; the scheduler writes its other tasks at its start.
for model in (PeriodicTask, ClockedSchedule, CrontabSchedule, IntervalSchedule, SolarSchedule):
    admin.site.unregister(model)
# The library's pages would show administrators each other's keys and codes.
admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)
