"""The dashboard's tiles and the handover over REST."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime

from django.core.exceptions import PermissionDenied
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.reads import Read
from messages_app.core.problems import bad_field, quote_value
from messages_app.dashboard.handover import ShiftGroup, read_handover
from messages_app.dashboard.handover_parts import WATCH, describe_shift
from messages_app.dashboard.handover_text import write_handover
from messages_app.dashboard.snapshot import DEFAULT_WINDOW, WINDOWS
from messages_app.dashboard.tiles import read_tiles
from messages_app.incidents.serializers import IncidentSerializer
from messages_app.jobs.repairs import Repair
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.alerts.api import AlertSerializer
from messages_app.messages.failures.api import GroupOutcomeSerializer, LastingGroupSerializer
from messages_app.messages.metrics.api import polling_field
from messages_app.messages.metrics.counts import read_freshness
from messages_app.messages.metrics.polling import polling_state
from messages_app.notes.serializers import NoteSerializer


class TileSerializer(serializers.Serializer):
    name = serializers.CharField()
    read_at = serializers.DateTimeField()
    content = serializers.DictField(allow_null=True, help_text="null if it could not be read; see `fault`.")
    fault = serializers.CharField(allow_blank=True)
    query = serializers.CharField(
        allow_blank=True, help_text=("Query of the message list that the tile opens.")
    )


class DashboardSerializer(serializers.Serializer):
    counted_at = serializers.DateTimeField(allow_null=True, help_text="When the counts were last updated.")
    polling = polling_field()
    window = serializers.ChoiceField(choices=list(WINDOWS))
    tiles = TileSerializer(many=True)


class EndedJobSerializer(serializers.Serializer):
    job_id = serializers.IntegerField()
    kind = serializers.CharField()
    state = serializers.CharField()
    finished_at = serializers.DateTimeField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()
    failed = serializers.IntegerField()


class RepairSerializer(EndedJobSerializer):
    created_by = serializers.CharField()
    reason = serializers.CharField()
    looked_at = serializers.IntegerField(
        help_text="The number of messages counted: all that are done, or an even sample."
    )
    ok = serializers.IntegerField()
    failed_again = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    in_progress = serializers.IntegerField()
    gone = serializers.IntegerField(help_text="Neither live nor archived.")


class ActByHandSerializer(serializers.Serializer):
    actor = serializers.CharField()
    action = serializers.CharField()
    messages = serializers.IntegerField()
    last = serializers.DateTimeField()


class ShiftGroupSerializer(serializers.Serializer):
    group = LastingGroupSerializer()
    outcome = GroupOutcomeSerializer(help_text="Current states of its newest messages.")
    job_ids = serializers.ListField(
        child=serializers.IntegerField(), help_text="Jobs that repaired its messages, newest first."
    )


class RunningJobSerializer(serializers.Serializer):
    job_id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    state = serializers.CharField()
    created_by = serializers.CharField()


class OldestWaitingSerializer(serializers.Serializer):
    state = serializers.CharField()
    count = serializers.IntegerField()
    since = serializers.DateTimeField()


class HandoverLineSerializer(serializers.Serializer):
    title = serializers.CharField()
    facts = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(allow_blank=True)
    address = serializers.CharField(allow_blank=True, help_text="Its page, from the root of the console.")


class HandoverSerializer(serializers.Serializer):
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    open_incidents = IncidentSerializer(
        many=True, help_text="Incidents that are open now: the newest, those with most failures first."
    )
    ended_incidents = IncidentSerializer(
        many=True, help_text="Incidents that ended and are not open again, the latest first."
    )
    opened_incidents = IncidentSerializer(
        many=True, help_text="Incidents whose failures began since then, ended or not, the latest first."
    )
    repairs = RepairSerializer(
        many=True, help_text="Jobs that restarted, cancelled or reprocessed messages: the newest that ended."
    )
    by_hand = ActByHandSerializer(
        many=True,
        help_text="Actions on single messages, from the newest entries of the audit log.",
    )
    repaired = ShiftGroupSerializer(
        many=True, help_text="Failure groups with no message FAILED or in progress."
    )
    open_groups = ShiftGroupSerializer(
        many=True,
        help_text="Failure groups of any age with messages FAILED or in progress, those of incidents first.",
    )
    groups = LastingGroupSerializer(many=True, help_text="Failure groups that became new or regressed.")
    running = RunningJobSerializer(many=True, help_text="Active jobs.")
    alerts = AlertSerializer(many=True)
    jobs = EndedJobSerializer(many=True, help_text="Jobs that failed or did not process all messages.")
    archive_runs = EndedJobSerializer(many=True)
    oldest = OldestWaitingSerializer(allow_null=True)
    notes = NoteSerializer(many=True, help_text="Notes on the shift, newest first.")
    watch = HandoverLineSerializer(
        many=True,
        help_text="Failures that grow or have no owner, alerts, funnels beyond their time, schedules and jobs"
        " that failed, running jobs; the most urgent first.",
    )
    text = serializers.CharField(help_text="The whole handover as plain text.")


def report_dashboard(*, values: Mapping[str, str], user: Caller) -> Response:
    window = values.get("window", DEFAULT_WINDOW)
    if window not in WINDOWS:
        text = f"window must be one of {', '.join(WINDOWS)}, not {quote_value(window)}."
        raise bad_field("window", "invalid_value", text)
    at, _ = read_freshness()
    polled = polling_state()
    return Response(
        {
            "counted_at": at,
            "polling": asdict(polled) if polled else None,
            "window": window,
            "tiles": [asdict(tile) for tile in read_tiles(window, user=user)],
        }
    )


def report_handover(*, values: Mapping[str, str], user: Caller) -> Mapping[str, object]:
    if not user.has_perm(roles.CAN_VIEW_MESSAGES):
        raise PermissionDenied
    shift = read_handover(_read_time(values.get("since", "")))
    return {
        "since": shift.since,
        "until": shift.until,
        "open_incidents": [one.line for one in shift.open_incidents],
        "opened_incidents": shift.opened_incidents,
        "ended_incidents": shift.ended_incidents,
        "repairs": [_represent_repair(one) for one in shift.repairs],
        "by_hand": shift.by_hand.acts,
        "repaired": [_represent_group(one) for one in shift.repaired],
        "open_groups": [_represent_group(one) for one in shift.open_groups],
        "groups": shift.groups,
        "running": [one.job for one in shift.running],
        "alerts": shift.alerts,
        "jobs": [_represent_ended_job(one) for one in shift.jobs],
        "archive_runs": [_represent_ended_job(one) for one in shift.archive_runs],
        "oldest": shift.oldest,
        "notes": shift.notes,
        "watch": next(part.lines for part in describe_shift(shift) if part.key == WATCH),
        "text": write_handover(shift),
    }


CALLS = [
    Read(
        "dashboard/",
        report_dashboard,
        right=roles.CAN_VIEW_MESSAGES,
        answer=DashboardSerializer,
        parameters=[OpenApiParameter("window", str, enum=list(WINDOWS), default=DEFAULT_WINDOW)],
        query=frozenset({"window"}),
        operation_id="dashboard_retrieve",
        description=(
            "Retrieve the tiles that the caller may see. A tile that cannot be read has an error; the"
            " others are complete."
        ),
    ),
    Read(
        "handover/",
        report_handover,
        right=roles.CAN_VIEW_JOBS,
        answer=HandoverSerializer,
        parameters=[OpenApiParameter("since", OpenApiTypes.DATETIME, required=True)],
        query=frozenset({"since"}),
        operation_id="handover_retrieve",
        description=(
            "Retrieve incidents, what was repaired since a time, by which user and job, and what is"
            " still open.\n\nA token with scopes needs `messages:read` too."
        ),
    ),
]


def _read_time(text: str) -> datetime:
    """Return the time of a parameter in UTC, because PostgreSQL refuses large offsets. Raises Problem."""
    try:
        parsed = parse_datetime(text)
        moment = parsed.astimezone(UTC) if parsed and parsed.tzinfo else None
    except (ValueError, OverflowError):
        moment = None
    if moment is None:
        raise bad_field(
            "since", "invalid_value", "since must be a time with a UTC offset, such as 2026-01-31T08:00:00Z."
        )
    return moment


def _represent_ended_job(progress: JobProgress) -> dict[str, object]:
    job = progress.job
    return {
        "job_id": job.pk,
        "kind": job.kind,
        "state": job.state,
        "finished_at": job.finished_at,
        "done": progress.done,
        "skipped": progress.skipped,
        "failed": progress.failed,
    }


def _represent_repair(repair: Repair) -> dict[str, object]:
    status = repair.status
    return {
        **_represent_ended_job(repair.progress),
        "created_by": repair.job.created_by,
        "reason": repair.job.reason,
        "looked_at": status.looked_at,
        "ok": status.ok,
        "failed_again": status.failed,
        "cancelled": status.cancelled,
        "in_progress": status.under_way,
        "gone": status.gone,
    }


def _represent_group(one: ShiftGroup) -> dict[str, object]:
    return {"group": one.group, "outcome": one.outcome, "job_ids": [job.pk for job in one.jobs]}
