"""What the API says in the store's reports."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.message_store.api.codes import status_code_field, status_name_field
from messages_app.message_store.states import name_of


class CountsSerializer(serializers.Serializer):
    """How many messages of a system and entity have a status."""

    source_system = serializers.CharField()
    source_entity = serializers.CharField()
    status = status_code_field()
    status_name = serializers.SerializerMethodField()
    messages = serializers.IntegerField()

    @extend_schema_field(status_name_field())
    def get_status_name(self, count: object) -> str:
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
    attempts_timed_out = serializers.IntegerField(help_text="Within seven days.")
    places_timed_out = serializers.IntegerField(help_text="Places in the queue, within seven days.")
    last_timeout_hour = serializers.DateTimeField(allow_null=True)


class SummarySerializer(serializers.Serializer):
    """The dashboard."""

    counts = CountsSerializer(many=True)
    ages = AgesSerializer()
    monitor = MonitorSerializer()


class ErrorGroupSerializer(serializers.Serializer):
    """Messages that failed alike."""

    status = serializers.SerializerMethodField()
    source_entity = serializers.SerializerMethodField()
    summary = serializers.CharField()
    example = serializers.CharField()
    count = serializers.IntegerField()
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    message_identifiers = serializers.ListField(source="ids", child=serializers.CharField())

    @extend_schema_field(status_code_field())
    def get_status(self, group: object) -> int:
        return group.key[0]

    def get_source_entity(self, group: object) -> str | None:
        return group.key[1]


class ErrorGroupsSerializer(serializers.Serializer):
    results = ErrorGroupSerializer(many=True)


class MissingEntitySerializer(serializers.Serializer):
    """An entity whose records messages wait for."""

    entity = serializers.CharField()
    references = serializers.IntegerField(help_text="10001: more than 10000.")
    given_up = serializers.IntegerField(help_text="Of the first thousand those whose message is in 26.")
    sample = serializers.ListField(child=serializers.CharField())


class MissingEntitiesSerializer(serializers.Serializer):
    results = MissingEntitySerializer(many=True)
