"""
The body of a new message, and answers about messages.

Source: docs/contributing/spec/interfaces.md, "Message store".
"""

from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.core.api_schema import CodeField
from messages_app.core.representation import represent_value
from messages_app.message_store.api.problems import StatusNameField, status_code_field
from messages_app.message_store.models import MAX_NAME, MAX_PATH
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.message_store.services.intake import Stored, read_message
from messages_app.payloads.api import WHY_MASKED
from messages_app.shared.store_states import StatusClass

F = TypeVar("F", bound=serializers.Field[Any, Any, Any, Any])


class NewStoreMessageSerializer(serializers.Serializer):
    """A message object, for the API's description; services/intake.py reads it."""

    identifier = serializers.UUIDField(
        required=False, help_text="A UUID; generated if absent. `msgid` and `guid` are also accepted."
    )
    system = serializers.CharField(
        required=False, allow_null=True, max_length=MAX_NAME, help_text="Default: depends on the entity."
    )
    entity = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=MAX_NAME,
        help_text=("Without it, processing ends with error 22."),
    )
    timestamp = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="When the data becomes valid; default: now. UTC if it has no offset.",
    )
    user = serializers.CharField(required=False, allow_null=True, max_length=MAX_NAME)
    refresh = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Ends records of the entity that this message does not contain.",
    )
    process = serializers.BooleanField(
        required=False,
        default=False,
        help_text=("Process it before answering; otherwise the monitor processes it later."),
    )
    options = serializers.JSONField(required=False, allow_null=True)
    # The class has properties of this name and of `errors` below, which are not used here.
    data = serializers.JSONField(  # type: ignore[assignment]
        required=False,
        allow_null=True,
        help_text=("An array of objects, or any text for the reader of the entity."),
    )
    file_path = serializers.CharField(
        required=False, allow_null=True, max_length=MAX_PATH, help_text="Path of the data in the file store."
    )

    def run_validation(self, data: Any = serializers.empty) -> dict[str, object]:
        return {"message": read_message(data)}


@extend_schema_field(str)
class _TimeField(serializers.DateTimeField):
    """A time of the vendor's tables. Its description has no format, because it may be infinite."""


def _column_field(kind: type[F], source: str, help_text: str = "") -> F:
    """Return the field of a column of a table that may have no row of the message."""
    return kind(source=source, read_only=True, allow_null=True, help_text=help_text or None)


class StoreStatusSerializer(serializers.Serializer):
    """The progress of a message, which every answer about it contains."""

    message_identifier = serializers.CharField(source="line.message_identifier")
    status = status_code_field(allow_null=True, read_only=True)
    status_name = StatusNameField(if_none="no process row")
    status_class = CodeField("StoreStatusClass", StatusClass, read_only=True)
    processed_timestamp = _column_field(_TimeField, "process.processed_timestamp")
    next_attempt_timestamp = _column_field(_TimeField, "process.next_attempt_timestamp")
    error_message = _column_field(serializers.CharField, "process.error_message")
    muted_at = _column_field(_TimeField, "line.muted_at", help_text="When it was muted; null: not muted.")


class StoredSerializer(StoreStatusSerializer):
    """The outcome of a message that was sent."""

    dropped = serializers.BooleanField(
        help_text=(
            "true: its identifier already exists. Nothing was stored or changed; the status is that of the "
            "existing message."
        )
    )
    same_content = serializers.BooleanField(
        required=False, help_text="For a dropped message: the stored message has the same content."
    )

    def to_representation(self, instance: tuple[Stored, ListedMessage]) -> dict[str, object]:
        stored, message = instance
        status = represent_value(StoreStatusSerializer, message) | {"dropped": stored.is_dropped}
        return status | {"same_content": stored.is_same} if stored.is_dropped else status


class StoreMessageSerializer(StoreStatusSerializer):
    """One message without its data."""

    number = serializers.IntegerField(source="line.number", help_text="Its number in jobs.")
    source_system = _column_field(serializers.CharField, "store.source_system")
    source_entity = _column_field(serializers.CharField, "store.source_entity")
    message_timestamp = _column_field(_TimeField, "store.message_timestamp")
    effective_timestamp = _column_field(_TimeField, "store.effective_timestamp")
    user_name = _column_field(serializers.CharField, "store.user_name")
    refresh = _column_field(serializers.BooleanField, "store.refresh")
    file_path = _column_field(serializers.CharField, "store.file_path")
    attempts = serializers.IntegerField(source="line.attempts")
    orphan = serializers.CharField(help_text="The missing part of the message; empty if nothing is missing.")


class MissingSerializer(serializers.Serializer):
    entity = serializers.CharField()
    record_key = serializers.CharField()


class WaitSerializer(serializers.Serializer):
    """Seconds: raw by age, raised to the floor, cut at the cap."""

    age = serializers.FloatField()
    duration = serializers.FloatField()
    raw = serializers.FloatField()
    floor = serializers.FloatField()
    cap = serializers.FloatField()
    seconds = serializers.FloatField()


class ExplainedSerializer(serializers.Serializer):
    """The reason for the time of the next attempt."""

    summary = serializers.CharField()
    next_attempt = serializers.DateTimeField(allow_null=True)
    wait = WaitSerializer(allow_null=True)
    missing = MissingSerializer(many=True)
    gives_up_at = serializers.DateTimeField(allow_null=True)


class RehearsedRecordSerializer(serializers.Serializer):
    """The result of an attempt for one record."""

    entity = serializers.CharField(source="key.entity")
    record_key = serializers.CharField(source="key.text")
    effect = serializers.CharField()
    fields_that_differ = serializers.ListField(child=serializers.CharField(), source="fields")


class RehearsalSerializer(serializers.Serializer):
    """The changes that an attempt would make now. Nothing was written."""

    status = status_code_field()
    status_name = StatusNameField()
    errors = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]
    records = RehearsedRecordSerializer(many=True)
    ended = serializers.IntegerField()
    taken_back = serializers.IntegerField()


class AttemptSerializer(serializers.Serializer):
    """One attempt, and its whole log."""

    message_identifier = serializers.CharField()
    processed_timestamp = serializers.DateTimeField()
    status = status_code_field(allow_null=True)
    status_name = StatusNameField()
    error_message = serializers.CharField(allow_null=True)
    log_text = serializers.CharField(allow_null=True)


class DataSerializer(serializers.Serializer):
    """A message's data; without the right to see payloads, masked."""

    content = serializers.CharField(allow_null=True)
    content_type = serializers.CharField()
    bytes = serializers.IntegerField()
    masked = serializers.BooleanField(help_text=WHY_MASKED)
