"""
The map, and what is known about one service or external system, over REST.

Source: docs/how_it_works/calls.md, "The map", "Targets".
"""

from functools import partial

from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.reads import Read
from messages_app.core.filters.table import describe_parameters, read_filters
from messages_app.core.problems import not_found, quote_value
from messages_app.incidents.serializers import IncidentSerializer
from messages_app.service_map.flows import WINDOWS, TimedFlow, Tone
from messages_app.service_map.overviews import Overview, read_overview
from messages_app.service_map.participants import Hour, Kind, find_participant
from messages_app.service_map.reading import MAP, ServiceMap, read_map
from messages_app.service_map.targets.models import Profile
from messages_app.service_map.targets.months import Day, Measure, Month


class FlowSerializer(serializers.Serializer[TimedFlow]):
    service_name = serializers.CharField(source="flow.service_name")
    external_system = serializers.CharField(source="flow.external_system")
    calls = serializers.IntegerField(source="flow.calls", help_text="Number of calls that ended.")
    failed = serializers.IntegerField(source="flow.failed")
    failed_lately = serializers.IntegerField(
        source="flow.failed_lately", help_text="Of the failed ones, those of the last 15 minutes."
    )
    failed_share = serializers.FloatField(source="flow.failed_share", help_text="0 to 1.")
    p50_seconds = serializers.FloatField(
        allow_null=True, help_text="Half of the calls took at most this time; null if it is unknown."
    )
    p95_seconds = serializers.FloatField(allow_null=True)
    attention = serializers.SerializerMethodField(
        help_text="The colour of the map: `alarm` (red), `notable` (amber) or `quiet` (grey)."
    )

    def get_attention(self, timed: TimedFlow) -> str:
        """Return the name of the colour."""
        return Tone(timed.tone).name.lower()


class MapSerializer(serializers.Serializer[ServiceMap]):
    window = serializers.ChoiceField(choices=list(WINDOWS))
    since = serializers.DateTimeField(help_text="The start of the time that is counted.")
    counted_at = serializers.DateTimeField(
        source="counting.done_at",
        allow_null=True,
        default=None,
        help_text="When calls were last counted; null before the first time.",
    )
    services = serializers.ListField(
        child=serializers.CharField(),
        help_text="Services whose messages ended in the last day, also those without calls.",
    )
    flows = FlowSerializer(many=True, help_text="The calls of each service to each system, busiest first.")


class HourSerializer(serializers.Serializer[Hour]):
    at = serializers.DateTimeField(help_text="Its start.")
    succeeded = serializers.IntegerField()
    failed = serializers.IntegerField()
    week_before = serializers.IntegerField(help_text="The number that ended in this hour a week before.")


class TargetDaySerializer(serializers.Serializer[Day]):
    day = serializers.DateField(help_text="UTC.")
    ended = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True, help_text="0 to 1; null if nothing ended.")
    is_met = serializers.BooleanField(allow_null=True, help_text="null if nothing ended.")


class TargetMonthSerializer(serializers.Serializer[Month]):
    share_of = serializers.ChoiceField(
        source="measure",
        choices=Measure.choices,
        help_text="The kind of its shares: messages that ended in time, or that failed.",
    )
    target = serializers.CharField(source="words")
    days = TargetDaySerializer(many=True, help_text="The last 30 days, the oldest first.")


class TargetsSerializer(serializers.Serializer[Profile]):
    within_seconds = serializers.IntegerField(allow_null=True, help_text="null: there is no such target.")
    within_share = serializers.FloatField(
        allow_null=True, help_text="The share that must end within this time, 0 to 1."
    )
    failed_share = serializers.FloatField(allow_null=True, help_text="The share that may fail, 0 to 1.")


class ParticipantSerializer(serializers.Serializer[Overview]):
    """A service or system. Its numbers are of its messages or of the calls to it."""

    name = serializers.CharField(source="participant.name")
    owner = serializers.CharField(source="profile.owner", help_text="Empty: no one.")
    runbook = serializers.CharField(source="profile.runbook", help_text="An address; may be empty.")
    failing_now = serializers.IntegerField(
        help_text="Messages of the service, or rows in open incidents of the system, that are failed now."
    )
    since = serializers.DateTimeField(source="start", help_text="The start of the 24 hours of the numbers.")
    succeeded = serializers.IntegerField(source="figures.succeeded")
    failed = serializers.IntegerField(source="figures.failed")
    failed_share = serializers.FloatField(
        source="figures.failed_share", allow_null=True, help_text="0 to 1; null if nothing ended."
    )
    week_before = serializers.IntegerField(
        source="figures.week_before", help_text="The number that ended in the same hours a week before."
    )
    p50_seconds = serializers.FloatField(source="figures.p50_seconds", allow_null=True)
    p95_seconds = serializers.FloatField(source="figures.p95_seconds", allow_null=True)
    hours = HourSerializer(source="figures.hours", many=True, help_text="The 24 hours, the oldest first.")
    flows = FlowSerializer(
        source="figures.flows", many=True, help_text="Calls of these hours, busiest first."
    )
    open_incidents = IncidentSerializer(source="opened", many=True)
    closed_incidents = IncidentSerializer(
        source="closed", many=True, help_text="Incidents that ended in the last 7 days."
    )
    targets = TargetsSerializer(source="profile")
    target_days = TargetMonthSerializer(
        source="months", many=True, help_text="Whether each target that is set was met."
    )


def read_map_of_request(request: Request) -> ServiceMap:
    """Return the map. Raises Problem: 400."""
    return read_map(read_filters(MAP, request.query_params))


def read_service(*, service_name: str) -> Overview:
    """Return what is known about a service. Raises Problem: 404."""
    return _read_participant(Kind.SERVICE, service_name)


def read_system(*, external_system: str) -> Overview:
    """Return what is known about an external system. Raises Problem: 404."""
    return _read_participant(Kind.SYSTEM, external_system)


def _read_participant(kind: Kind, name: str) -> Overview:
    participant = find_participant(kind, name)
    if participant is None:
        raise not_found(f"Nothing is known about the {kind} {quote_value(name)}.")
    return read_overview(participant)


_read = partial(Read, right=roles.CAN_VIEW_MESSAGES)
_ESCAPES = "In its name, write `~2F` for a slash and `~7E` for a tilde, as in the address of its page."

CALLS = [
    _read(
        "map/",
        read_map_of_request,
        answer=MapSerializer,
        parameters=describe_parameters(MAP),
        query=None,
        operation_id="map_retrieve",
        description="Return how many calls each service made to each external system, and how they ended.",
    ),
    _read(
        "services/<key:service_name>/",
        read_service,
        name="Service",
        answer=ParticipantSerializer,
        operation_id="services_retrieve",
        description=f"Return the last 24 hours of a service, its incidents and its targets. {_ESCAPES}",
    ),
    _read(
        "systems/<key:external_system>/",
        read_system,
        name="System",
        answer=ParticipantSerializer,
        operation_id="systems_retrieve",
        description=(
            f"Return the last 24 hours of an external system, its incidents and its targets. {_ESCAPES}"
        ),
    ),
]
