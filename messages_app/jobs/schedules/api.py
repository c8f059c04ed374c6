"""
The API of recurring jobs: list, create, retrieve, change and remove schedules.

Source: docs/contributing/spec/interfaces.md, "Further calls".
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Unpack, cast

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Read
from messages_app.audit.services import Actor
from messages_app.core.api_schema import CodeField, page_of, paging_parameters
from messages_app.core.clock import database_clock
from messages_app.core.etags import Tag
from messages_app.core.pagination.paginator import PAGING, Order, fetch_page, page_answer, parse_page
from messages_app.core.parameters import read_id
from messages_app.core.problems import not_found, problems_for, quote_value
from messages_app.core.serializers import (
    ReasonField,
    RowSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictSerializer,
)
from messages_app.jobs.api import schema
from messages_app.jobs.api.actions import as_problems
from messages_app.jobs.api.serializers import FilterField, KindField, NewOptionsField, OptionsField
from messages_app.jobs.errors import NotAllowed
from messages_app.jobs.kinds.registry import kind_specs
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.permissions import CAN_SCHEDULE
from messages_app.jobs.schedules import services
from messages_app.jobs.schedules.times import MAX_CRON, next_run
from messages_app.messages.attachment import time_zone

_NEWEST_FIRST = Order(column="schedule_id", key="schedule_id", descending=True)
_MAX_ZONE = 64


class ScheduleSerializer(RowSerializer):
    """A schedule and the time of its next run."""

    kind = CodeField("JobKind", kind_specs, is_open=True)
    filter = FilterField(help_text="Relative times are counted back from each run.")
    options = OptionsField(source="*")
    owner = serializers.CharField(
        source=("owner.username"),
        allow_null=True,
        default=None,
        help_text="The user whose permissions its runs have.",
    )
    next_run_at = serializers.SerializerMethodField(help_text="null: the schedule is disabled.")

    class Meta:
        model = JobSchedule
        fields = (
            "schedule_id",
            "kind",
            "filter",
            "options",
            "reason",
            "cron",
            "zone",
            "enabled",
            "owner",
            "created_by",
            "last_run_at",
            "last_job",
            "last_outcome",
            "next_run_at",
        )

    def get_next_run_at(self, schedule: JobSchedule) -> datetime | None:
        if not schedule.enabled:
            return None
        at = next_run(schedule.cron, schedule.zone, now=database_clock())
        # The annotation above gives the type in the API description.
        return cast(datetime, serializers.DateTimeField().to_representation(at))


@extend_schema_field(schema.FILTER)
class _NewFilterField(serializers.DictField):
    """The filter of a job whose times may be relative. The service parses it."""


class ScheduleChangesSerializer(StrictSerializer):
    """Changes to a schedule. Fields that are left out keep their values."""

    filter = _NewFilterField(
        required=False, help_text="As for a job; times can be relative: -7d, -24h, today."
    )
    options = NewOptionsField(required=False, help_text="As for a job of its kind.")
    reason = ReasonField(required=False)
    cron = StrictCharField(
        required=False,
        max_length=MAX_CRON,
        help_text="Minute, hour, day of month, month, day of week: 30 2 * * *.",
    )
    zone = StrictCharField(required=False, max_length=_MAX_ZONE, help_text="For example Europe/Prague.")
    enabled = StrictBooleanField(required=False)


class NewScheduleSerializer(ScheduleChangesSerializer):
    kind = KindField()
    filter = _NewFilterField(default=dict, help_text="As for a job; times can be relative: -7d, -24h, today.")
    options = NewOptionsField(default=dict, help_text="As for a job of its kind.")
    reason = ReasonField()
    cron = StrictCharField(
        max_length=MAX_CRON, help_text="Minute, hour, day of month, month, day of week: 30 2 * * *."
    )
    zone = StrictCharField(
        default=time_zone,
        max_length=_MAX_ZONE,
        help_text="Default: HUB_TIME_ZONE, or that of the attached hub.",
    )
    enabled = StrictBooleanField(default=True)


class WhyRemoveSerializer(StrictSerializer):
    reason = ReasonField()


class RemovedScheduleSerializer(serializers.Serializer):
    schedule_id = serializers.IntegerField()
    removed = serializers.BooleanField()


def list_schedules(request: Request) -> Response:
    schedules = JobSchedule.objects.select_related("owner")
    page = fetch_page(schedules, order=_NEWEST_FIRST, **parse_page(request.query_params))
    rows = ScheduleSerializer(page.rows, many=True, context={"request": request}).data
    return page_answer(request, page, rows)


def read_schedule(*, schedule_id: str, request: Request) -> Response:
    return Response(_to_json(request, _get_schedule(JobSchedule.objects.all(), schedule_id)))


def _lock_schedule(*, schedule_id: str, request: Request) -> Mapping[str, object]:
    rows = JobSchedule.objects.select_for_update(no_key=True, of=("self",))
    return _to_json(request, _get_schedule(rows, schedule_id))


def store_schedule(*, request: Request, actor: Actor, **values: Unpack[services.ScheduleValues]) -> Answer:
    return Answer(201, _to_json(request, _save_schedule(request, actor, None, values)))


def change_schedule(*, schedule_id: str, request: Request, actor: Actor, **changes: Any) -> Answer:
    # Locked, so that two changes of different members are both kept.
    with transaction.atomic():
        rows = JobSchedule.objects.select_for_update(no_key=True, of=("self",))
        before = _get_schedule(rows, schedule_id)
        values = services.values_of_schedule(before)
        values.update(cast(services.ScheduleValues, changes))
        return Answer(200, _to_json(request, _save_schedule(request, actor, before.pk, values)))


def remove_schedule(*, schedule_id: str, request: Request, actor: Actor, reason: str) -> Mapping[str, object]:
    number = _get_schedule(JobSchedule.objects.all(), schedule_id).pk
    services.delete_schedule(schedule_id=number, actor=actor, user=request.user, reason=reason)
    return {"schedule_id": number, "removed": True}


def may_change_schedules(request: Request) -> bool:
    return request.user.has_perm(CAN_SCHEDULE)


def _save_schedule(
    request: Request, actor: Actor, schedule_id: int | None, values: services.ScheduleValues
) -> JobSchedule:
    try:
        with as_problems():
            return services.save_schedule(schedule_id=schedule_id, actor=actor, user=request.user, **values)
    except NotAllowed:
        raise PermissionDenied from None


def _to_json(request: Request, schedule: JobSchedule) -> Mapping[str, object]:
    """Return the JSON of a schedule as the caller may see it."""
    return ScheduleSerializer(schedule, context={"request": request}).data


def _get_schedule(rows: QuerySet[JobSchedule], text: str) -> JobSchedule:
    """Return the schedule of an address. Raises Problem: 404."""
    number = read_id(text)
    schedule = None if number is None else rows.select_related("owner").filter(pk=number).first()
    if schedule is None:
        raise not_found(f"No schedule has the id {quote_value(text)}.")
    return schedule


_SCHEDULE = Tag(
    lock=_lock_schedule, moving=frozenset({"last_run_at", "last_job", "last_outcome", "next_run_at"})
)
_call = partial(
    Action,
    right=roles.CAN_VIEW_JOBS,
    may_call=may_change_schedules,
    errors=problems_for({services.ScheduleNotFound: lambda error: not_found(str(error))}),
)

CALLS = [
    Read(
        "schedules/",
        list_schedules,
        name="Schedule List",
        right=roles.CAN_VIEW_JOBS,
        query=PAGING,
        parameters=paging_parameters(),
        answer=page_of(ScheduleSerializer),
        operation_id="schedules_list",
        description="List schedules, newest first.",
    ),
    _call(
        "schedules/",
        store_schedule,
        audited_as="create_schedule",
        body=NewScheduleSerializer,
        answer=ScheduleSerializer,
        statuses=(201,),
        location="schedules/{schedule_id}/",
        operation_id="schedules_create",
        description="Create a schedule. Its runs have your permissions at the time of each run.",
    ),
    Read(
        "schedules/<str:schedule_id>/",
        read_schedule,
        name="Schedule",
        right=roles.CAN_VIEW_JOBS,
        answer=ScheduleSerializer,
        tag=_SCHEDULE,
        operation_id="schedules_retrieve",
        description="Retrieve one schedule.",
    ),
    _call(
        "schedules/<str:schedule_id>/",
        change_schedule,
        method="PATCH",
        audited_as="change_schedule",
        body=ScheduleChangesSerializer,
        answer=ScheduleSerializer,
        tag=_SCHEDULE,
        operation_id="schedules_partial_update",
        description="Change a schedule. Its future runs have your permissions.",
    ),
    _call(
        "schedules/<str:schedule_id>/",
        remove_schedule,
        method="DELETE",
        audited_as="delete_schedule",
        body=WhyRemoveSerializer,
        answer=RemovedScheduleSerializer,
        tag=_SCHEDULE,
        operation_id="schedules_destroy",
        description="Remove a schedule. The jobs that it created are kept.",
    ),
]
