"""What the API says of triggers, and what it takes. Source: docs/spec/interfaces.md, "Document history"."""

from rest_framework import serializers

from messages_app.core.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.document_history.api.serializers import choices, optional_reason
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.selectors import COUNTED
from messages_app.document_history.services.resolvers import fault_of
from messages_app.document_history.states import MAX_TTL_SECONDS, RetryFailure


class TriggerCountsSerializer(serializers.Serializer):
    """Counts end at a fence: one more than it means "more than"."""

    stored = serializers.IntegerField(help_text=f"Entries; {COUNTED + 1}: more than {COUNTED}.")
    expired = serializers.IntegerField(help_text="Expired entries that are not yet removed.")
    undetermined = serializers.IntegerField(help_text="Documents with only a processing entry.")
    oldest_undetermined = serializers.DateTimeField(allow_null=True)
    started = serializers.IntegerField(help_text="In the last 24 hours, like the next two.")
    duplicates = serializers.IntegerField()
    in_doubt = serializers.IntegerField()
    open_doubts = serializers.IntegerField(help_text="In doubt without a decision.")


class TriggerSerializer(serializers.ModelSerializer):
    resolver_fault = serializers.SerializerMethodField(
        help_text="Why the resolver is unavailable in the answering process; empty if it is available."
    )

    def get_resolver_fault(self, trigger: DocumentTrigger) -> str:
        return fault_of(trigger.resolver)

    class Meta:
        model = DocumentTrigger
        fields = (
            "trigger_id",
            "name",
            "detect_duplicates",
            "use_history",
            "history_ttl_seconds",
            "resolver",
            "resolver_fault",
            "on_retry_failure",
            "suspended_at",
            "suspended_because",
            "created_at",
        )
        read_only_fields = fields


class CountedTriggerSerializer(TriggerSerializer):
    """A trigger with its figures."""

    counts = TriggerCountsSerializer()

    class Meta(TriggerSerializer.Meta):
        fields = (*TriggerSerializer.Meta.fields, "counts")

    def to_representation(self, instance: tuple[DocumentTrigger, object]) -> dict[str, object]:
        trigger, counts = instance
        return TriggerSerializer(trigger).data | {"counts": TriggerCountsSerializer(counts).data}


class TriggerChangesSerializer(StrictSerializer):
    """Properties of a trigger; what is not given stays."""

    name = StrictCharField(required=False, max_length=200)
    detect_duplicates = StrictBooleanField(required=False)
    use_history = StrictBooleanField(required=False)
    history_ttl_seconds = StrictIntegerField(required=False, min_value=1, max_value=MAX_TTL_SECONDS)
    resolver = StrictCharField(
        required=False,
        max_length=100,
        allow_blank=True,
        help_text="Name of a registered resolver; empty: none. Unknown names are rejected.",
    )
    on_retry_failure = StrictChoiceField(required=False, choices=choices(RetryFailure))
    reason = optional_reason()


class NewTriggerSerializer(TriggerChangesSerializer):
    trigger_id = StrictCharField(
        required=False, max_length=MAX_TRIGGER_ID, help_text="Default: a new UUID. Ids cannot be reused."
    )
    name = StrictCharField(max_length=200)


class ExpiringSerializer(serializers.Serializer):
    history_ttl_seconds = serializers.IntegerField()
    expiring = serializers.IntegerField(help_text=f"Entries; {COUNTED + 1}: more than {COUNTED}.")
