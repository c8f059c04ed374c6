"""
The store's dashboard, groups of errors and missing records over REST.

Source: docs/contributing/spec/message_store.md, "Console".
"""

from collections.abc import Mapping
from functools import partial

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.access.reads import Read
from messages_app.message_store import selectors
from messages_app.message_store.api.problems import StatusNameField, status_code_field
from messages_app.message_store.registration import CAN_VIEW_STORE
from messages_app.message_store.selectors.failures import error_groups, missing_entities
from messages_app.message_store.selectors.summary import ages_of_waiting, count_by_system
from messages_app.shared.failure_texts import Group


class CountsSerializer(serializers.Serializer):
    """How many messages of a system and entity have a status."""

    source_system = serializers.CharField()
    source_entity = serializers.CharField()
    status = status_code_field()
    status_name = StatusNameField()
    messages = serializers.IntegerField()


class AgesSerializer(serializers.Serializer):
    oldest_waiting = serializers.DateTimeField(allow_null=True)
    oldest_due = serializers.DateTimeField(allow_null=True)
    due = serializers.IntegerField()
    queued = serializers.IntegerField()
    oldest_queued = serializers.DateTimeField(allow_null=True)
    processing = serializers.IntegerField()
    oldest_processing = serializers.DateTimeField(allow_null=True)
    first_succeeded = serializers.IntegerField()
    first_ended = serializers.IntegerField()
    near_timeout = serializers.IntegerField()
    muted = serializers.IntegerField()


class MonitorSerializer(serializers.Serializer):
    last_scan_at = serializers.DateTimeField(allow_null=True)
    interval = serializers.FloatField(allow_null=True)
    queue = serializers.IntegerField()
    threads = serializers.IntegerField()
    process_timeout = serializers.FloatField()
    attempts_timed_out = serializers.IntegerField(help_text="In the last seven days.")
    places_timed_out = serializers.IntegerField(help_text="Queued messages, in the last seven days.")
    last_timeout_hour = serializers.DateTimeField(allow_null=True)


class SummarySerializer(serializers.Serializer):
    """The dashboard."""

    counts = CountsSerializer(many=True)
    ages = AgesSerializer()
    monitor = MonitorSerializer()


class ErrorGroupSerializer(serializers.Serializer):
    """Messages that failed with the same error."""

    status = serializers.SerializerMethodField()
    source_entity = serializers.SerializerMethodField()
    summary = serializers.CharField()
    example = serializers.CharField()
    count = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    message_identifiers = serializers.ListField(source="ids", child=serializers.CharField())

    @extend_schema_field(status_code_field())
    def get_status(self, group: Group) -> int:
        return int(group.key[0])

    def get_source_entity(self, group: Group) -> str | None:
        entity: str | None = group.key[1]
        return entity


class ErrorGroupsSerializer(serializers.Serializer):
    results = ErrorGroupSerializer(many=True)


class MissingEntitySerializer(serializers.Serializer):
    """An entity whose records messages wait for."""

    entity = serializers.CharField()
    references = serializers.IntegerField(help_text="10001: more than 10000.")
    given_up = serializers.IntegerField(
        help_text=("References among the first thousand whose message has status 26.")
    )
    sample = serializers.ListField(child=serializers.CharField())


class MissingEntitiesSerializer(serializers.Serializer):
    results = MissingEntitySerializer(many=True)


# The largest groups that are shown.
MAX_GROUPS = 200


def read_summary() -> Mapping[str, object]:
    return {
        "counts": count_by_system(),
        "ages": ages_of_waiting(),
        "monitor": selectors.monitor_state(),
    }


def read_error_groups() -> Mapping[str, object]:
    return {"results": error_groups()[:MAX_GROUPS]}


def read_missing_entities() -> Mapping[str, object]:
    return {"results": missing_entities()}


_read = partial(Read, right=CAN_VIEW_STORE)

CALLS = [
    _read(
        "summary/",
        read_summary,
        answer=SummarySerializer,
        description=(
            "Return counts by system, entity and status, the ages of waiting messages, and the monitor's"
            " settings."
        ),
    ),
    _read(
        "error-groups/",
        read_error_groups,
        answer=ErrorGroupsSerializer,
        description="Group the newest five thousand errors by their text, the largest group first.",
    ),
    _read(
        "missing-references/",
        read_missing_entities,
        name="Missing",
        answer=MissingEntitiesSerializer,
        description="List the entities whose records messages wait for.",
    ),
]
