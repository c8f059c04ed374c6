"""
The store's dashboard, groups of errors and missing records over REST.

Source: docs/contributing/spec/message_store.md, "Console".
"""

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.core.api_schema import READING, describe_answers
from messages_app.core.representation import represent_value
from messages_app.message_store import registration, selectors
from messages_app.message_store.api.problems import status_code_field, status_name_field
from messages_app.shared.failure_texts import Group
from messages_app.shared.store_states import name_of

# Answers of the store's reports.


class CountsSerializer(serializers.Serializer):
    """How many messages of a system and entity have a status."""

    source_system = serializers.CharField()
    source_entity = serializers.CharField()
    status = status_code_field()
    status_name = serializers.SerializerMethodField()
    messages = serializers.IntegerField()

    @extend_schema_field(status_name_field())
    def get_status_name(self, count: selectors.Count) -> str:
        return name_of(count.status)


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
        status: int = group.key[0]
        return status

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


_MAX_GROUPS = 200


class SummaryView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}

    @extend_schema(responses=describe_answers(200, SummarySerializer, READING))
    def get(self, request: Request) -> Response:
        """
        Return counts by system, entity and status, the ages of waiting messages, and the monitor's settings.
        """
        found = {
            "counts": selectors.count_by_system(),
            "ages": selectors.ages_of_waiting(),
            "monitor": selectors.monitor_state(),
        }
        return Response(represent_value(SummarySerializer, found))


class ErrorGroupsView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}

    @extend_schema(responses=describe_answers(200, ErrorGroupsSerializer, READING))
    def get(self, request: Request) -> Response:
        """Group the newest five thousand errors by their text, the largest group first."""
        groups = selectors.error_groups()[:_MAX_GROUPS]
        return Response(represent_value(ErrorGroupsSerializer, {"results": groups}))


class MissingView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}

    @extend_schema(responses=describe_answers(200, MissingEntitiesSerializer, READING))
    def get(self, request: Request) -> Response:
        """List the entities whose records messages wait for."""
        return Response(represent_value(MissingEntitiesSerializer, {"results": selectors.missing_entities()}))
