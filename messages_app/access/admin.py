"""Who may do what, and when things run: users, groups, API tokens and schedules in the admin."""

from collections.abc import Callable

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django_celery_beat import admin as beat
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
from messages_app.access.actors import actor_of
from messages_app.access.audited_admin import AuditedAdmin
from messages_app.access.managed_users import POWERS, may_manage
from messages_app.access.models import ApiToken
from messages_app.access.named_lookups import NamedLookups
from messages_app.access.services import revoke_token

for model in (User, Group, PeriodicTask, ClockedSchedule, CrontabSchedule, IntervalSchedule, SolarSchedule):
    admin.site.unregister(model)
# The library's pages show administrators each other's keys and codes.
admin.site.unregister(TOTPDevice)
admin.site.unregister(StaticDevice)


@admin.register(User)
class UserAdmin(AuditedAdmin, DjangoUserAdmin):
    def told_of(self, row: User) -> dict[str, object]:
        flags = ("is_active", "is_staff", "is_superuser")
        rights = sorted(row.user_permissions.values_list("codename", flat=True))
        groups = sorted(row.groups.values_list("name", flat=True))
        return {flag: getattr(row, flag) for flag in flags} | {"groups": groups, "rights": rights}

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = () if request.user.is_superuser else POWERS
        return (*super().get_readonly_fields(request, obj), *fixed)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or may_manage(request.user, obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        may = super().has_delete_permission(request, obj)
        return may and (obj is None or may_manage(request.user, obj))

    def user_change_password(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        with transaction.atomic():  # the framework has none here: password and entry stand or fall together
            return super().user_change_password(request, *args, **kwargs)


@admin.register(Group)
class GroupAdmin(AuditedAdmin, DjangoGroupAdmin):
    """Roles, which superusers alone change: who could would give them to themselves."""

    def told_of(self, row: Group) -> dict[str, object]:
        return {"rights": sorted(row.permissions.values_list("codename", flat=True))}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return request.user.is_superuser


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(AuditedAdmin, beat.PeriodicTaskAdmin):
    """Beat's, whose actions were for whoever may look at the list (reliability S-23)."""

    change_form_template = None  # beat's own has a script in the page, which our policy forbids

    @admin.action(description="Enable selected tasks", permissions=["change"])
    def enable_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        self._act(super().enable_tasks, request, queryset)

    @admin.action(description="Disable selected tasks", permissions=["change"])
    def disable_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        self._act(super().disable_tasks, request, queryset)

    @admin.action(description="Toggle activity of selected tasks", permissions=["change"])
    def toggle_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        self._act(super().toggle_tasks, request, queryset)

    @admin.action(description="Run selected tasks", permissions=["change"])
    def run_tasks(self, request: HttpRequest, queryset: QuerySet[PeriodicTask]) -> None:
        self._act(super().run_tasks, request, queryset)

    def _act(self, act: Callable, request: HttpRequest, tasks: QuerySet[PeriodicTask]) -> None:
        with transaction.atomic():
            for task in tasks:
                self.record(request, f"admin_{act.__name__}", task)
            act(request, tasks)


class TasksOfSchedule(beat.PeriodicTaskInline):
    template = "admin/tasks_of_schedule.html"  # the framework's own has columns without a head


@admin.register(ClockedSchedule, IntervalSchedule, SolarSchedule)
class ScheduleAdmin(AuditedAdmin, beat.ScheduleAdmin):
    inlines = (TasksOfSchedule,)


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(AuditedAdmin, beat.CrontabScheduleAdmin):
    inlines = (TasksOfSchedule,)


@admin.register(ApiToken)
class ApiTokenAdmin(NamedLookups, ModelAdmin):
    """Tokens are seen and revoked here; made by create_token, which shows the key once, and never deleted."""

    list_display = (
        "name",
        "user",
        "allowed",
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

    @admin.display(description="May")
    def allowed(self, token: ApiToken) -> str:
        return "all that its user may" if token.scopes is None else ", ".join(map(str, token.scopes))

    @admin.action(description="Revoke the selected tokens", permissions=["revoke"])
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
