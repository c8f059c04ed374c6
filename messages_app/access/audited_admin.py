"""What the admin does is in the audit as everything else is: who may do what is changed there."""

from collections.abc import Iterable

from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.widgets import AdminSplitDateTime
from django.db.models import Field, Model, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils.text import capfirst

from messages_app.access.actors import actor_of
from messages_app.access.named_lookups import NamedLookups
from messages_app.audit import services as audit

_SHOWN_CHARACTERS = 200


class AuditedAdmin(NamedLookups, ModelAdmin):
    """
    The admin of one table: each row that it adds, changes or deletes has an entry, in that transaction.

    The entry names the table, the row and the fields, and none of their values but what `told_of` gives.
    Source: reliability I-54, S-50.
    """

    def told_of(self, row: Model) -> dict[str, object]:
        """Return what else the audit says of a row as it is now."""
        return {}

    def record(self, request: HttpRequest, action: str, row: Model, **details: object) -> None:
        told = {"table": row._meta.db_table, "row": str(row.pk), "name": str(row)[:_SHOWN_CHARACTERS]}
        audit.record(actor=actor_of(request), action=action, details=told | details)

    def formfield_for_dbfield(
        self, db_field: Field, request: HttpRequest, **kwargs: object
    ) -> FormField | None:
        """Name both boxes of a time, for the label before them is neither's."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(getattr(field, "widget", None), AdminSplitDateTime):
            for box, part in zip(field.widget.widgets, ("date", "time"), strict=True):
                box.attrs["aria-label"] = f"{capfirst(db_field.verbose_name)}: {part}"
        return field

    def log_addition(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        self.record(request, "admin_add", obj, **self.told_of(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        self.record(request, "admin_change", obj, changes=message, **self.told_of(obj))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet | Iterable[Model]) -> list[LogEntry]:
        for row in queryset:
            self.record(request, "admin_delete", row)
        return super().log_deletions(request, queryset)
