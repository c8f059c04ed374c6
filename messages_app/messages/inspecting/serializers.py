"""What the API says of a message's timeline and family. Source: spec/interfaces.md 5."""

from rest_framework import serializers

from messages_app.messages.code_fields import message_state, parent_binding
from messages_app.messages.timeline.entries import KIND_MEANINGS, Kind

_KINDS = " ".join(f"`{kind}`: {meaning}" for kind, meaning in KIND_MEANINGS.items())


class EntrySerializer(serializers.Serializer):
    at = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(
        allow_null=True, help_text="The end of what lasted; null for a moment and for what has not ended."
    )
    kind = serializers.ChoiceField(choices=[str(kind) for kind in Kind], help_text=_KINDS)
    text = serializers.CharField()
    state = serializers.CharField(
        allow_blank=True, help_text="Of the message, an external call or a job; empty where there is none."
    )
    actor = serializers.CharField(allow_blank=True, help_text="Who did it; empty for the hub.")
    id = serializers.IntegerField(allow_null=True)
    note = serializers.CharField(allow_blank=True)


class TimelineSerializer(serializers.Serializer):
    entries = EntrySerializer(many=True)
    truncated = serializers.BooleanField(
        help_text="Only the first 200 and the last 200 entries are given; others happened between them."
    )


class TreeNodeSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    parent_msg_id = serializers.IntegerField(allow_null=True)
    state = message_state()
    parent_binding_type = parent_binding()
    archived = serializers.BooleanField()
    depth = serializers.IntegerField(help_text="0 for the root.")


class TreeSerializer(serializers.Serializer):
    root = serializers.IntegerField(
        help_text="The topmost message on record; where parents lead in a circle, the smallest id in it."
    )
    nodes = TreeNodeSerializer(many=True, help_text="Level by level, live and archived, each once.")
    truncated = serializers.BooleanField(help_text="There are more than 10 000, or more above the root.")
