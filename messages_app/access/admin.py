"""The admin pages for users, groups and API tokens."""

from typing import Any, TypedDict

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.admin.widgets import AdminSplitDateTime
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import Field, Model, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest, HttpResponse
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

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.models import ApiToken
from messages_app.access.reauthentication import ConfirmedAdmin, ask_password
from messages_app.access.second_factor.devices import is_administrator
from messages_app.access.token_services import revoke_token
from messages_app.audit import services as audit

# The users whom an administrator may change. Without this rule, the permission to change users would grant
# every permission.
# The fields that decide about a user's permissions. Only superusers may set them.
POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


def may_manage(manager: User, user: User) -> bool:
    """
    Whether `manager`, who has Django's permission to change or delete users, may change this user.

    Only superusers may change superusers, staff, and users who may make tokens: anyone who sets the password
    of a user gets all permissions of that user.
    """
    return manager.is_superuser or not is_administrator(user)


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


class RowDetails(TypedDict, total=False):
    """Values of a user or a group in the audit log."""

    is_active: bool
    is_staff: bool
    is_superuser: bool
    groups: list[str]
    rights: list[str]


class AuditedAdmin(NamedLookups):
    """
    The admin of one table. Each row that it adds, changes or deletes gets an audit entry in the same
    transaction.

    The entry names the table, the row and the fields. It has only the values from `describe_row`.
    Source: docs/contributing/spec/promises.md, I-54, S-50.
    """

    def describe_row(self, row: Model) -> RowDetails:
        """Return values of a row for its audit entry."""
        return {}

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
        self.record(request, "admin_add", obj, **self.describe_row(obj))
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: object) -> LogEntry:
        self.record(request, "admin_change", obj, changes=message, **self.describe_row(obj))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Model]) -> list[LogEntry] | LogEntry:
        for row in queryset:
            self.record(request, "admin_delete", row)
        return super().log_deletions(request, queryset)


for model in (User, Group):
    admin.site.unregister(model)
# Schedules have their own pages, with their own checks; the scheduler writes its other tasks at its start.
for model in (PeriodicTask, ClockedSchedule, CrontabSchedule, IntervalSchedule, SolarSchedule):
    admin.site.unregister(model)
# The library's pages would show administrators each other's keys and codes.
admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)


@admin.register(User)
class UserAdmin(ConfirmedAdmin, AuditedAdmin, DjangoUserAdmin):  # type: ignore[type-arg]  # it takes none when it runs
    def describe_row(self, row: Model) -> RowDetails:
        if not isinstance(row, User):
            return {}
        return {
            "is_active": row.is_active,
            "is_staff": row.is_staff,
            "is_superuser": row.is_superuser,
            "groups": sorted(row.groups.values_list("name", flat=True)),
            "rights": sorted(row.user_permissions.values_list("codename", flat=True)),
        }

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = () if request.user.is_superuser else POWERS
        return (*super().get_readonly_fields(request, obj), *fixed)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or may_manage(user_of(request), obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        may = super().has_delete_permission(request, obj)
        return may and (obj is None or may_manage(user_of(request), obj))

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        user = self.get_object(request, unquote(id))
        if isinstance(user, User) and self.has_change_permission(request, user):
            question = ask_password(request, before_form=True)
            if question is not None:
                return question
        # Django's view has no transaction. The password and the audit entry are saved together or not at all.
        with transaction.atomic():
            return super().user_change_password(request, id, form_url)


@admin.register(Group)
class GroupAdmin(ConfirmedAdmin, AuditedAdmin, DjangoGroupAdmin):
    """Roles. Only superusers change them, because anyone else could grant themselves permissions."""

    def describe_row(self, row: Model) -> RowDetails:
        if not isinstance(row, Group):
            return {}
        return {"rights": sorted(row.permissions.values_list("codename", flat=True))}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return request.user.is_superuser


@admin.register(ApiToken)
class ApiTokenAdmin(ConfirmedAdmin, NamedLookups):
    """
    API tokens can be viewed and revoked here. `create_token` creates them and shows the key once; they are
    never deleted.
    """

    list_display = (
        "name",
        "user",
        "allowed_scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
        "requests_per_minute",
    )
    list_select_related = ("user",)
    fields = list_display
    show_full_result_count = False
    actions = ("revoke",)

    @admin.display(description="Scopes")
    def allowed_scopes(self, token: ApiToken) -> str:
        return "all permissions of the user" if token.scopes is None else ", ".join(map(str, token.scopes))

    @admin.action(description="Revoke selected tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens:
            revoke_token(token_id=token.pk, actor=actor_of(request))

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(roles.CAN_MAKE_TOKENS)

    def has_view_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return self.has_revoke_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False
