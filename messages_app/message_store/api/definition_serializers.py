"""What the API says of source definitions, and what it takes. Source: spec/interfaces.md 7."""

from rest_framework import serializers

from messages_app.message_store.models import MAX_NAME
from messages_app.web.serializers import ReasonField, StrictCharField, StrictSerializer


class DefinitionSerializer(serializers.Serializer):
    """A source definition."""

    definition_id = serializers.IntegerField()
    system = serializers.CharField()
    entity = serializers.CharField()
    json_schema = serializers.JSONField()
    key_fields = serializers.ListField(child=serializers.CharField())
    references = serializers.DictField(child=serializers.CharField())
    children = serializers.DictField(child=serializers.CharField())
    reader = serializers.CharField(allow_blank=True)
    processor = serializers.CharField(allow_blank=True)
    changed_at = serializers.DateTimeField()


class NewDefinitionSerializer(StrictSerializer):
    """A source definition to be stored; one of this system and entity is replaced."""

    system = StrictCharField(
        max_length=MAX_NAME, trim_whitespace=False, help_text='"*": of messages that name no system.'
    )
    entity = StrictCharField(max_length=MAX_NAME, trim_whitespace=False)
    json_schema = serializers.DictField(required=False, default=dict, help_text="Of one record.")
    key_fields = serializers.ListField(child=StrictCharField(trim_whitespace=False), allow_empty=False)
    references = serializers.DictField(
        child=StrictCharField(trim_whitespace=False),
        required=False,
        default=dict,
        help_text="Field: the entity whose record it names.",
    )
    children = serializers.DictField(
        child=StrictCharField(trim_whitespace=False),
        required=False,
        default=dict,
        help_text="Field: the entity of the records in it.",
    )
    reader = StrictCharField(required=False, default="", allow_blank=True, max_length=100)
    processor = StrictCharField(required=False, default="", allow_blank=True, max_length=100)
    reason = ReasonField(required=False, default="", allow_blank=True)


class RemoveDefinitionSerializer(StrictSerializer):
    """Why."""

    reason = ReasonField()


class RemovedSerializer(serializers.Serializer):
    definition_id = serializers.IntegerField()
    removed = serializers.BooleanField()
