"""
Bodies and answers of the calls about documents. The record of a body follows its serializer.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Iterable
from typing import TypedDict

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from messages_app.core.api_schema import CodeField, ProblemSerializer
from messages_app.core.serializers import (
    OptionalReasonField,
    ReasonField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.document_history.models import (
    MAX_TRIGGER_ID,
    DocumentSweep,
)
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.states import (
    MAX_UUID,
    NO_COUNT,
    DecidedBy,
    EntryStatus,
    Pair,
    Rule,
    Verdict,
)

# More than any identifier has: a document sent by mistake.
_MAX_IDENTIFIER = 4_000
_MAX_COUNT = 2**31 - 1


def choices(values: Iterable[str]) -> list[str]:
    return [str(value) for value in values]


def _identifier_field(help_text: str) -> StrictCharField:
    """
    Return the field of an identifier. It is compared as sent, so it is not trimmed; blank means missing.
    """
    return StrictCharField(
        max_length=_MAX_IDENTIFIER,
        required=False,
        default="",
        allow_blank=True,
        trim_whitespace=False,
        help_text=help_text,
    )


PAIRS = choices(Pair)


def trigger_id_field() -> StrictCharField:
    return StrictCharField(max_length=MAX_TRIGGER_ID, trim_whitespace=False)


def without_missing_token(body: dict[str, object]) -> dict[str, object]:
    """Leave out a token that is null."""
    return {name: value for name, value in body.items() if name != "token" or value is not None}


def optional_reason() -> ReasonField:
    return ReasonField(required=False, default="", allow_blank=True)


class TriggerBody(TypedDict):
    """Any body that names a trigger."""

    trigger_id: str


class ReasonBody(TypedDict):
    reason: str


class DeliverySerializer(StrictSerializer):
    """One delivery of a document."""

    trigger_id = trigger_id_field()
    uuid = _identifier_field(f"The document's UUID: any text of at most {MAX_UUID} characters.")
    track_id = _identifier_field("Used if the UUID is missing.")
    event_id = _identifier_field("Used if the track id is also missing.")
    redelivery_count = StrictIntegerField(
        min_value=NO_COUNT,
        max_value=_MAX_COUNT,
        required=False,
        allow_null=True,
        default=NO_COUNT,
        help_text="0: first delivery. -1, null or absent: the transport does not count deliveries.",
    )
    guaranteed = StrictBooleanField(
        source="is_guaranteed", required=False, default=True, help_text="false: volatile, never checked."
    )

    def validate_redelivery_count(self, count: int | None) -> int:
        return NO_COUNT if count is None else count


class DeliveryBody(TriggerBody):
    uuid: str
    track_id: str
    event_id: str
    redelivery_count: int
    is_guaranteed: bool


class CheckSerializer(DeliverySerializer):
    document = serializers.JSONField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Stored if the document is in doubt, and passed to a resolver.",
    )
    document_name = StrictCharField(
        max_length=200, required=False, default="", allow_blank=True, help_text="Name of the document type."
    )
    content_sha256 = serializers.RegexField(
        "^[0-9a-fA-F]{64}$",
        required=False,
        default="",
        error_messages={"invalid": "content_sha256 must be 64 hexadecimal digits."},
        help_text=(
            "Hash of the content; 409 `content_conflict` if the history has the UUID with a different hash."
        ),
    )

    def validate_content_sha256(self, value: str) -> str:
        return value.lower()


class CheckBody(DeliveryBody):
    document: object
    document_name: str
    content_sha256: str


class CheckedSerializer(serializers.Serializer):
    status = serializers.ChoiceField(choices=choices(Verdict), source="verdict")
    uuid = serializers.CharField(allow_null=True, help_text="null: no UUID could be assigned.")
    decided_by = serializers.ChoiceField(
        choices=choices(DecidedBy),
        help_text=("`redelivery_count` also if nothing else is checked; see `rule`."),
    )
    rule = serializers.ChoiceField(choices=choices(Rule))
    token = serializers.CharField(
        required=False, help_text="With NEW: required to complete. Absent if the history has no entry."
    )
    message = serializers.CharField(required=False)
    recorded = serializers.BooleanField(
        source="is_recorded", help_text="NEW: in the history; IN_DOUBT: in the inbox."
    )

    hash_checked = serializers.BooleanField(
        source="is_content_checked", help_text="The history has the document with this `content_sha256`."
    )

    def to_representation(self, instance: Checked) -> dict[str, object]:
        return without_missing_token(super().to_representation(instance))


class CompleteSerializer(StrictSerializer):
    trigger_id = trigger_id_field()
    uuid = StrictCharField(max_length=MAX_UUID, trim_whitespace=False)
    token = StrictCharField(max_length=300)


class CompleteBody(TriggerBody):
    uuid: str
    token: str


class AbandonedAnswer(TriggerBody):
    """The input of AbandonedSerializer."""

    uuid: str
    abandoned: bool


class CompletedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    uuid = serializers.CharField()
    status = serializers.SerializerMethodField()
    time = serializers.DateTimeField(help_text="When processing started.")

    @extend_schema_field(CodeField("EntryStatus", EntryStatus))
    def get_status(self, _: object) -> str:
        return str(EntryStatus.COMPLETED)


MAX_DOCUMENTS = 500


class DocumentsSerializer(StrictSerializer):
    """The documents of one call as they were sent."""

    documents = serializers.ListField(allow_empty=False, max_length=MAX_DOCUMENTS)


class DocumentsBody(TypedDict):
    documents: list[object]


class CheckManySerializer(StrictSerializer):
    documents = serializers.ListField(child=CheckSerializer(), allow_empty=False, max_length=MAX_DOCUMENTS)


class CompleteManySerializer(StrictSerializer):
    documents = serializers.ListField(child=CompleteSerializer(), allow_empty=False, max_length=MAX_DOCUMENTS)


def _answer_or_problem(name: str, answer: type[serializers.Serializer]) -> PolymorphicProxySerializer:
    return PolymorphicProxySerializer(
        component_name=name, serializers=[answer, ProblemSerializer], resource_type_field_name=None, many=True
    )


class CheckedManySerializer(serializers.Serializer):
    results = serializers.SerializerMethodField(help_text="One for each document, in the same order.")

    @extend_schema_field(_answer_or_problem("CheckedOrProblem", CheckedSerializer))
    def get_results(self, _: object) -> None:
        """Describe the answer only: the view builds it."""


class CompletedManySerializer(serializers.Serializer):
    results = serializers.SerializerMethodField(help_text="One for each document, in the same order.")

    @extend_schema_field(_answer_or_problem("CompletedOrProblem", CompletedSerializer))
    def get_results(self, _: object) -> None:
        """Describe the answer only: the view builds it."""


class AbandonedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    uuid = serializers.CharField()
    abandoned = serializers.BooleanField(help_text="false: there was no such entry.")


class DryRunSerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        choices=choices(Verdict),
        source="verdict",
        allow_null=True,
        help_text="null: the resolver would decide, or the trigger is suspended.",
    )
    uuid = serializers.CharField(allow_null=True)
    decided_by = serializers.ChoiceField(choices=choices(DecidedBy))
    rule = serializers.ChoiceField(choices=choices(Rule))
    entries = serializers.ChoiceField(choices=PAIRS, source="pair", allow_null=True)
    suspended = serializers.BooleanField(source="is_suspended")
    steps = serializers.ListField(child=serializers.CharField())


class ReasonSerializer(StrictSerializer):
    reason = ReasonField()


class AskSweepSerializer(StrictSerializer):
    reason = OptionalReasonField()


class SweepSerializer(serializers.ModelSerializer):
    class Meta:
        model = DocumentSweep
        fields = ("sweep_id", "started_at", "finished_at", "actor", "removed", "removed_by_trigger", "error")
        read_only_fields = fields


class SweeperSerializer(serializers.Serializer):
    """The sweeper's last run and its next one."""

    last = SweepSerializer(allow_null=True)
    next_at = serializers.DateTimeField(allow_null=True, help_text="null: the scheduler has not started.")
    interval_seconds = serializers.FloatField(allow_null=True)
    orphaned = serializers.ListField(
        child=serializers.CharField(), help_text="Unknown triggers with entries, which are kept."
    )


class HistoryEntrySerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    trigger_name = serializers.CharField()
    document_uuid = serializers.CharField()
    state = serializers.ChoiceField(
        choices=PAIRS,
        source="pair",
        help_text="processing: undetermined. completed: only the completed entry.",
    )
    time = serializers.DateTimeField(help_text="When processing started.")
    expires_at = serializers.DateTimeField(allow_null=True)
    expired = serializers.BooleanField(source="is_expired", help_text="It is used until it is removed.")
    orphaned = serializers.BooleanField(source="is_orphaned", help_text="Checks ignore it.")


class StatisticsSerializer(serializers.Serializer):
    """The vendor's three columns, and the reason."""

    trigger_id = serializers.CharField()
    document_name = serializers.CharField()
    document_uuid = serializers.CharField(source="identifier")
    document_status = serializers.ChoiceField(
        choices=[str(Verdict.DUPLICATE), str(Verdict.IN_DOUBT)], source="status"
    )
    at = serializers.DateTimeField()
    redelivery_count = serializers.IntegerField()
    decided_by = CodeField("DecidedBy", DecidedBy, is_open=True)
    rule = CodeField("DetectionRule", Rule, is_open=True)
    message = serializers.CharField()


class ClearSerializer(StrictSerializer):
    trigger_id = StrictCharField(
        max_length=MAX_TRIGGER_ID,
        trim_whitespace=False,
        required=False,
        default=None,
        help_text="Default: all triggers.",
    )
    reason = OptionalReasonField()


class ClearBody(ReasonBody):
    trigger_id: str | None


class ClearedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField(allow_null=True)
    cleared = serializers.BooleanField()


class ClearedAnswer(TypedDict):
    """The input of ClearedSerializer."""

    trigger_id: str | None
    cleared: bool
