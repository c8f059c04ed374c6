"""Reports on the queue: messages, statistics, an object, the log, the next pickup."""

from collections.abc import Mapping
from functools import partial

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from messages_app.access.reads import Listing, Read
from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.filters.table import EXACT_PARAMETER
from messages_app.core.parameters import parse_flag, read_id
from messages_app.core.problems import Problem, not_found, quote_value
from messages_app.cp_queue import parameters, selectors
from messages_app.cp_queue.api.service_calls import NextMessageSerializer
from messages_app.cp_queue.api.vendor import OUTCOMES, AnswerSerializer, as_problems
from messages_app.cp_queue.registration import CAN_VIEW_CP_QUEUE
from messages_app.cp_queue.selectors.log import DISPATCHES, MESSAGES, dispatch_page
from messages_app.cp_queue.selectors.messages import ORDERS, describe_messages, message_page
from messages_app.cp_queue.states import MAX_INT, MIN_INT, State

# Named by the API's description; hubconsole/drf.py says how.
STATES = [str(state) for state in State]
# Time limit of exact counts; the limit of requests is longer.
_EXACT_MILLISECONDS = 4_000


class CpMessageSerializer(serializers.Serializer):
    """The vendor's columns but checkguid, and what the side tables add."""

    messageguid = serializers.CharField()
    queuename = serializers.CharField()
    osid = serializers.IntegerField()
    ostype = serializers.IntegerField()
    created = serializers.DateTimeField()
    lock_service = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(choices=STATES)
    not_before = serializers.DateTimeField(allow_null=True)
    attempts = serializers.IntegerField()
    reserved_at = serializers.DateTimeField(allow_null=True, help_text="null: free or unknown.")


class CpObjectMessageSerializer(serializers.Serializer):
    messageguid = serializers.CharField(source="guid")
    queuename = serializers.CharField(source="queue")
    ostype = serializers.IntegerField(source="object_type")
    created = serializers.DateTimeField()
    lock_service = serializers.CharField(source="service", allow_null=True)
    state = serializers.ChoiceField(choices=STATES)
    not_before = serializers.DateTimeField(allow_null=True)
    attempts = serializers.IntegerField()
    reserved_at = serializers.DateTimeField(allow_null=True)
    collapsible = serializers.BooleanField(
        source="is_collapsible", help_text="Deleted by the next pickup of its object and queue."
    )
    overlaps = serializers.BooleanField(help_text="A service holds another message of its object and queue.")


class CpObjectSerializer(serializers.Serializer):
    osid = serializers.IntegerField()
    messages = CpObjectMessageSerializer(many=True)


class CpPreviewSerializer(NextMessageSerializer):
    collapsed = serializers.IntegerField(required=False, help_text="Messages that the pickup would delete.")
    held_by = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Services working on the same object."
    )


class CpQueueCountsSerializer(serializers.Serializer):
    name = serializers.CharField()
    known = serializers.BooleanField(source="is_known")
    total = serializers.IntegerField()
    free = serializers.IntegerField()
    reserved = serializers.IntegerField()
    deferred = serializers.IntegerField(help_text="Free messages that are not due yet after a retry.")
    parked = serializers.IntegerField(help_text="Free messages after their last attempt.")
    objects = serializers.IntegerField(help_text="Distinct objects of the free messages.")
    surplus = serializers.IntegerField(help_text="Free messages that pickups will coalesce.")
    oldest_created = serializers.DateTimeField(allow_null=True)
    newest_created = serializers.DateTimeField(allow_null=True)
    oldest_age = serializers.FloatField(allow_null=True, help_text="Seconds.")
    from_future = serializers.BooleanField(source="is_from_future")
    per_minute = serializers.FloatField(help_text="Dispatches in the last 5 min.")
    retried = serializers.IntegerField()
    failed = serializers.IntegerField()
    lost = serializers.IntegerField(help_text="Pickups lost to another service in the last hour.")
    exact = serializers.BooleanField(source="is_exact", help_text="false: the counts are lower bounds.")
    paused_at = serializers.DateTimeField(allow_null=True, help_text="When the queue was paused.")


class CpServiceSerializer(serializers.Serializer):
    service = serializers.CharField()
    first_poll = serializers.DateTimeField(allow_null=True)
    last_poll = serializers.DateTimeField(allow_null=True)
    queues = serializers.CharField(help_text="Queues of its last poll.")
    reserved = serializers.IntegerField(help_text="Up to 250.")
    since_unknown = serializers.IntegerField(help_text="Of these, reserved outside the console.")
    longest_since = serializers.DateTimeField(allow_null=True)
    longest_seconds = serializers.FloatField(allow_null=True)
    probably_dead = serializers.BooleanField(source="is_probably_dead")
    lost = serializers.IntegerField()


class CpStatisticsSerializer(AnswerSerializer):
    queues = CpQueueCountsSerializer(many=True)
    services = CpServiceSerializer(many=True)


class CpDispatchLogSerializer(serializers.Serializer):
    dispatch_id = serializers.IntegerField()
    at = serializers.DateTimeField()
    messageguid = serializers.CharField()
    queuename = serializers.CharField()
    osid = serializers.IntegerField()
    ostype = serializers.IntegerField()
    created = serializers.DateTimeField()
    service = serializers.CharField()
    reason = serializers.CharField()
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    reserved_at = serializers.DateTimeField(allow_null=True)
    collapsed = serializers.IntegerField()
    attempts = serializers.IntegerField()
    actor = serializers.CharField(help_text="The user who dispatched for a dead service; else empty.")


def read_statistics(*, values: Mapping[str, str]) -> Mapping[str, object]:
    exact = parse_flag("exact", values.get("exact"))
    queues = [parameters.stored_queue_name(values["QueueName"])] if "QueueName" in values else None
    return {"queues": _count_queues(queues, exact), "services": selectors.service_states()}


def _count_queues(queues: list[str] | None, exact: bool) -> list[selectors.QueueCounts]:
    """Return the figures. Raises Problem: 503, exact ones take too long."""
    try:
        with time_limit(_EXACT_MILLISECONDS):
            return selectors.queue_counts(queues=queues, exact=exact)
    except TooSlow:
        text = "Counting takes too long. Request one queue, or leave out exact."
        raise Problem(503, "query_too_slow", text, headers={"Retry-After": "60"}) from None


def preview_next(*, values: Mapping[str, str]) -> object:
    return selectors.preview_pickup(queues=values.get("QueueNames", ""))


def object_id(text: str) -> int:
    """Return the id in an address. Raises Problem: 404."""
    number = read_id(text)
    if number is None or not MIN_INT <= number <= MAX_INT:
        raise not_found(f"No object has the id {quote_value(text)}.")
    return number


def read_object(*, osid: int) -> Mapping[str, object]:
    return {"osid": osid, "messages": selectors.object_messages(object_id=osid)}


_list = partial(Listing, right=CAN_VIEW_CP_QUEUE)
_read = partial(Read, right=CAN_VIEW_CP_QUEUE, errors=as_problems)

CALLS = [
    _list(
        "messages/",
        message_page,
        name="Message List",
        filters=MESSAGES,
        orders=ORDERS,
        answer=CpMessageSerializer,
        lines=describe_messages,
        operation_id="cp_queue_messages_list",
        description="List the queue. `state=free` leaves out messages that wait after a retry.",
    ),
    _read(
        "statistics/",
        read_statistics,
        query=frozenset({"QueueName", "exact"}),
        parameters=[OpenApiParameter("QueueName", str, description="This queue only."), EXACT_PARAMETER],
        answer=CpStatisticsSerializer,
        description=(
            "std.GetCPMessageStatistics: figures of the queues, and of the services that pull from them."
            " Counts end at 5000 unless exact counts are requested."
        ),
    ),
    _read(
        "preview/",
        preview_next,
        query=frozenset({"QueueNames"}),
        parameters=[OpenApiParameter("QueueNames", str, required=True, description="Separated by commas.")],
        answer=CpPreviewSerializer,
        description="Show what get-next would return now for these queues. Reserves nothing.",
    ),
    _list(
        "dispatches/",
        dispatch_page,
        name="Dispatch List",
        filters=DISPATCHES,
        answer=CpDispatchLogSerializer,
        operation_id="cp_queue_dispatches_list",
        description="List dispatched messages with their outcomes, newest first.",
    ),
    _read(
        "objects/<str:osid>/",
        read_object,
        name="Object",
        key=object_id,
        answer=CpObjectSerializer,
        description=(
            "List all messages of one object in all queues, and which of them a pickup would delete."
        ),
    ),
]
