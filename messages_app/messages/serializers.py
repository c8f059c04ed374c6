"""
What the API says of a message, and what it takes with an action.

Source: docs/spec/interfaces.md, "Messages".
"""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from messages_app.core.serializers import ReasonField, StrictBooleanField, StrictChoiceField, StrictSerializer
from messages_app.messages import services
from messages_app.messages.fields import CONTENT_COLUMNS, FIELDS, NARROW_COLUMNS
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.reader import cold_rows
from messages_app.messages.tables import message_state, parent_binding
from messages_app.shared.message_states import MessageAction, MessageState

_DETAIL_COLUMNS = [name for name in FIELDS if name not in CONTENT_COLUMNS]


class MessageInListSerializer(serializers.ModelSerializer):
    state = message_state(read_only=True)
    parent_binding_type = parent_binding(read_only=True)
    archived = serializers.BooleanField()
    failed_summary = serializers.CharField(
        allow_null=True, help_text="The first line of failed_desc, at most 200 characters."
    )

    class Meta:
        model = Message
        fields = (*NARROW_COLUMNS, "failed_summary", "archived")
        read_only_fields = fields


class MessageSerializer(serializers.ModelSerializer):
    state = message_state(read_only=True)
    parent_binding_type = parent_binding(read_only=True)
    archived = serializers.SerializerMethodField()
    archived_to = serializers.SerializerMethodField()
    allowed_actions = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = (*_DETAIL_COLUMNS, "archived", "archived_to", "allowed_actions")
        read_only_fields = fields

    def get_archived(self, message: MessageColumns) -> bool:
        return isinstance(message, ArchiveMessage)

    @extend_schema_field(serializers.ChoiceField(choices=["tables", "parquet"], allow_null=True))
    def get_archived_to(self, message: MessageColumns) -> str | None:
        """Return where in the archive it is; null for a live message."""
        if not isinstance(message, ArchiveMessage):
            return None
        return "tables" if cold_rows(message) is None else "parquet"

    def get_allowed_actions(self, message: MessageColumns) -> list[MessageAction]:
        """Return what the hub's rules allow in the message's state; nothing in the archive."""
        return services.allowed_actions(message)


class CancelSerializer(StrictSerializer):
    reason = ReasonField()
    expected_state = StrictChoiceField(
        choices=[str(state) for state in MessageState],
        required=False,
        help_text="Act only if the message is in this state, else 412.",
    )


class RestartSerializer(CancelSerializer):
    total = StrictBooleanField(default=False, help_text="Also repeat external calls that succeeded.")
