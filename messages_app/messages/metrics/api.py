"""
The API's report of messages by state. It is always one page.

Source: docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Mapping

from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.reads import Read
from messages_app.core.filters.table import describe_parameters
from messages_app.messages.api_fields import message_state
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.state_report import (
    FENCE,
    FILTERS,
    MAX_RANGE,
    MAX_ROWS,
    count_by_state,
    count_range,
    parse_range,
)


class MatrixRowSerializer(serializers.Serializer):
    service_name = serializers.CharField()
    operation_name = serializers.CharField()
    source_system = serializers.CharField()
    states = serializers.DictField(
        child=serializers.IntegerField(), help_text="Messages by state. States with no messages are left out."
    )
    total = serializers.IntegerField()


class TotalSerializer(serializers.Serializer):
    state = message_state()
    count = serializers.IntegerField()
    exact = serializers.BooleanField(
        help_text="false: an estimate for OK, and a lower bound for other states."
    )


class PollingSerializer(serializers.Serializer):
    polled_at = serializers.DateTimeField(allow_null=True, help_text="The last poll; null before the first.")
    seconds = serializers.FloatField(allow_null=True, help_text="Its age.")
    swept_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When all messages had last been compared; null before the first time, while counts are"
        " incomplete.",
    )
    remedy = serializers.CharField(help_text="How changes are recorded as the hub makes them.")


def polling_field() -> PollingSerializer:
    """Return the field for the age of the figures of a polled hub."""
    text = "How old the figures of an attached hub without triggers are; null with triggers."
    return PollingSerializer(allow_null=True, help_text=text)


def failing_field() -> serializers.IntegerField:
    """Return the field for the number of messages that are failing now."""
    text = "Number of live messages that are FAILED at this moment, whatever their age."
    return serializers.IntegerField(help_text=text)


class StatsSerializer(serializers.Serializer):
    next = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    previous = serializers.URLField(allow_null=True, default=None, help_text="Always null.")
    receive_timestamp_from = serializers.DateTimeField()
    receive_timestamp_to = serializers.DateTimeField()
    truncated = serializers.BooleanField(
        help_text=f"More than {FENCE} messages or {MAX_ROWS} rows: not all are in `results`."
    )
    counted_from = serializers.DateTimeField(help_text="Messages received from this time on are counted.")
    results = MatrixRowSerializer(many=True)
    failing_now = failing_field()
    totals = TotalSerializer(many=True, help_text="All live messages by state, whatever their receive time.")


def count_messages_by_state(*, request: Request) -> Mapping[str, object]:
    requested = parse_range(request.query_params, longest=MAX_RANGE)
    matrix = count_range(requested)
    failing = failing_now().count
    return {
        "next": None,
        "previous": None,
        "receive_timestamp_from": requested.start,
        "receive_timestamp_to": requested.end,
        "truncated": matrix.truncated,
        "counted_from": matrix.counted_from,
        "results": matrix.rows,
        "failing_now": failing,
        "totals": count_by_state(failing),
    }


CALLS = [
    Read(
        "stats/",
        count_messages_by_state,
        right=roles.CAN_VIEW_MESSAGES,
        answer=StatsSerializer,
        parameters=describe_parameters(FILTERS),
        query=None,
        operation_id="stats_list",
        description=(
            "Count the messages of a time range by service, operation, source and state.\n\nThe"
            " default range is the last 24 hours. A range may have up to 7 days."
        ),
    ),
]
