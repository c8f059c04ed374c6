"""
The API of recurring jobs: list, create, retrieve, change and remove schedules.

Source: docs/contributing/spec/interfaces.md, "Further calls".
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict, Unpack, cast

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView
from messages_app.access.idempotency import Answer
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_TAGGED,
    CodeField,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.clock import database_clock
from messages_app.core.lists.api import PAGING, page_answer, page_wanted
from messages_app.core.pagination.paginator import Order, fetch_page
from messages_app.core.parameters import read_id
from messages_app.core.problems import not_found, quote_value
from messages_app.core.serializers import ReasonField, StrictBooleanField, StrictCharField, StrictSerializer
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
from messages_app.shared.job_records import Given

_NEWEST_FIRST = Order(column="schedule_id", key="schedule_id", descending=True)
_MAX_ZONE = 64


class ScheduleSerializer(serializers.ModelSerializer):
    """A schedule and the time of its next run."""

    kind = CodeField("JobKind", kind_specs, is_open=True)
    filter = FilterField(help_text="Relative times are counted back from each run.")
    options = OptionsField()
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
        read_only_fields = fields

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


class ScheduleBody(TypedDict):
    """The body of a call that saves a schedule, completed with the stored values of the schedule."""

    kind: str
    filter: Given
    options: Given
    reason: str
    cron: str
    zone: str
    enabled: bool


class WhyRemoveSerializer(StrictSerializer):
    reason = ReasonField()


class RemovedScheduleSerializer(serializers.Serializer):
    schedule_id = serializers.IntegerField()
    removed = serializers.BooleanField()


class _SchedulesView(ActingView):
    def check_permissions(self, request: Request) -> None:
        """Check the permission to change schedules in addition to the permission to view jobs."""
        super().check_permissions(request)
        is_acting = request.method in self.allowed_methods and request.method not in {"GET", "HEAD"}
        if is_acting and not request.user.has_perm(CAN_SCHEDULE):
            self.permission_denied(request)

    def _store_schedule(
        self, request: Request, schedule_id: int | None = None, **values: Unpack[ScheduleBody]
    ) -> JobSchedule:
        with as_problems():
            try:
                return services.save_schedule(
                    schedule_id=schedule_id, actor=actor_of(request), user=request.user, **values
                )
            except NotAllowed:
                self.permission_denied(request)
            except services.ScheduleNotFound as error:
                raise not_found(str(error)) from None


class ScheduleListView(_SchedulesView):
    rights = {"GET": roles.CAN_VIEW_JOBS, "POST": roles.CAN_VIEW_JOBS}
    parameters = PAGING
    audited_as = "create_schedule"
    location = "schedules/{schedule_id}/"

    @extend_schema(
        operation_id="schedules_list",
        parameters=paging_parameters(),
        responses=describe_answers(200, page_of(ScheduleSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List schedules, newest first."""
        schedules = JobSchedule.objects.select_related("owner")
        page = fetch_page(schedules, order=_NEWEST_FIRST, **page_wanted(request))
        rows = ScheduleSerializer(page.rows, many=True, context={"request": request}).data
        return page_answer(request, page, rows)

    @extend_schema(
        operation_id="schedules_create",
        request=NewScheduleSerializer,
        parameters=[IDEMPOTENCY],
        responses=describe_answers(201, ScheduleSerializer, ACTING),
    )
    def post(self, request: Request) -> HttpResponse:
        """Create a schedule. Its runs have your permissions at the time of each run."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body = NewScheduleSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        return Answer(201, _to_json(request, self._store_schedule(request, **body.validated_data)))


class ScheduleView(_SchedulesView):
    http_method_names = ["get", "head", "options", "patch", "delete"]
    rights = {"GET": roles.CAN_VIEW_JOBS, "PATCH": roles.CAN_VIEW_JOBS, "DELETE": roles.CAN_VIEW_JOBS}
    moving = frozenset({"last_run_at", "last_job", "last_outcome", "next_run_at"})

    @property
    def audited_as(self) -> str:  # type: ignore[override]  # two methods change a schedule
        return "delete_schedule" if self.request.method == "DELETE" else "change_schedule"

    def locked_object(self, request: Request, schedule_id: str) -> Mapping[str, object]:
        rows = JobSchedule.objects.select_for_update(no_key=True, of=("self",))
        return _to_json(request, _get_schedule(rows, schedule_id))

    @extend_schema(
        operation_id="schedules_retrieve",
        parameters=[IF_NONE_MATCH],
        responses=describe_answers(200, ScheduleSerializer, READING_TAGGED),
    )
    def get(self, request: Request, schedule_id: str) -> Response:
        """Retrieve one schedule."""
        return Response(_to_json(request, _get_schedule(JobSchedule.objects.all(), schedule_id)))

    @extend_schema(
        operation_id="schedules_partial_update",
        request=ScheduleChangesSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, ScheduleSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, schedule_id: str) -> HttpResponse:
        """Change a schedule. Its future runs have your permissions."""
        return self.answer_once(request, schedule_id=schedule_id)

    @extend_schema(
        operation_id="schedules_destroy",
        request=WhyRemoveSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, RemovedScheduleSerializer, ACTING_ON_ONE),
    )
    def delete(self, request: Request, schedule_id: str) -> HttpResponse:
        """Remove a schedule. The jobs that it created are kept."""
        return self.answer_once(request, schedule_id=schedule_id)

    def act(self, request: Request, schedule_id: str) -> Answer:
        if request.method == "DELETE":
            return self._remove_schedule(request, schedule_id)
        body = ScheduleChangesSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        before = _get_schedule(JobSchedule.objects.all(), schedule_id)
        kept: ScheduleBody = {
            "kind": before.kind,
            "filter": before.filter,
            "options": before.options,
            "reason": before.reason,
            "cron": before.cron,
            "zone": before.zone,
            "enabled": before.enabled,
        }
        kept.update(body.validated_data)
        changed = self._store_schedule(request, schedule_id=before.pk, **kept)
        return Answer(200, _to_json(request, changed))

    def _remove_schedule(self, request: Request, schedule_id: str) -> Answer:
        body = WhyRemoveSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        number = _get_schedule(JobSchedule.objects.all(), schedule_id).pk
        try:
            services.delete_schedule(
                schedule_id=number, actor=actor_of(request), user=request.user, **body.validated_data
            )
        except services.ScheduleNotFound as error:
            raise not_found(str(error)) from None
        return Answer(200, {"schedule_id": number, "removed": True})


def _to_json(request: Request, schedule: JobSchedule) -> Mapping[str, object]:
    """Return the JSON of a schedule as the caller may see it."""
    return ScheduleSerializer(schedule, context={"request": request}).data


def _get_schedule(rows: QuerySet[JobSchedule], text: str) -> JobSchedule:
    """Return the schedule of an address. Raises Problem: 404."""
    number = read_id(text)
    found = None if number is None else rows.select_related("owner").filter(pk=number).first()
    if found is None:
        raise not_found(f"No schedule has the id {quote_value(text)}.")
    return found
