"""
Check, complete, abandon and try out one document.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Mapping
from functools import partial

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.core.api_schema import ACTING_ON_ONE, CodeField
from messages_app.core.serializers import (
    OptionalTextField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.document_history.api.errors import (
    DocumentView,
    affected_trigger,
    as_problems,
    list_choices,
    trigger_id_field,
)
from messages_app.document_history.dry_run import dry_run
from messages_app.document_history.registration import CAN_CHECK_DOCUMENTS, CAN_VIEW_DOCUMENT_HISTORY
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.complete import abandon_document, complete_document
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
# Named by the API's description; hubconsole/drf.py says how.
PAIRS = list_choices(Pair)


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


class CheckedSerializer(serializers.Serializer):
    status = serializers.ChoiceField(choices=list_choices(Verdict), source="verdict")
    uuid = serializers.CharField(allow_null=True, help_text="null: no UUID could be assigned.")
    decided_by = serializers.ChoiceField(
        choices=list_choices(DecidedBy),
        help_text=("`redelivery_count` also if nothing else is checked; see `rule`."),
    )
    rule = serializers.ChoiceField(choices=list_choices(Rule))
    token = OptionalTextField(help_text="With NEW: required to complete. Absent if the history has no entry.")
    message = serializers.CharField(required=False)
    recorded = serializers.BooleanField(
        source="is_recorded", help_text="NEW: in the history; IN_DOUBT: in the inbox."
    )

    hash_checked = serializers.BooleanField(
        source="is_content_checked", help_text="The history has the document with this `content_sha256`."
    )


class CompleteSerializer(StrictSerializer):
    trigger_id = trigger_id_field()
    uuid = StrictCharField(max_length=MAX_UUID, trim_whitespace=False)
    token = StrictCharField(max_length=300)


class CompletedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    uuid = serializers.CharField()
    status = CodeField("EntryStatus", EntryStatus, constant=EntryStatus.COMPLETED)
    time = serializers.DateTimeField(help_text="When processing started.")


class AbandonedSerializer(serializers.Serializer):
    trigger_id = serializers.CharField()
    uuid = serializers.CharField()
    abandoned = serializers.BooleanField(help_text="false: there was no such entry.")


class DryRunSerializer(serializers.Serializer):
    status = serializers.ChoiceField(
        choices=list_choices(Verdict),
        source="verdict",
        allow_null=True,
        help_text="null: the resolver would decide, or the trigger is suspended.",
    )
    uuid = serializers.CharField(allow_null=True)
    decided_by = serializers.ChoiceField(choices=list_choices(DecidedBy))
    rule = serializers.ChoiceField(choices=list_choices(Rule))
    entries = serializers.ChoiceField(choices=PAIRS, source="pair", allow_null=True)
    suspended = serializers.BooleanField(source="is_suspended")
    steps = serializers.ListField(child=serializers.CharField())


def abandon_and_report(*, trigger_id: str, uuid: str, token: str) -> Mapping[str, object]:
    was_there = abandon_document(trigger_id=trigger_id, uuid=uuid, token=token)
    return {"trigger_id": trigger_id, "uuid": uuid, "abandoned": was_there}


_call = partial(
    Action, view=DocumentView, right=CAN_CHECK_DOCUMENTS, errors=as_problems, problems=ACTING_ON_ONE
)

CALLS = [
    _call(
        "check/",
        check_document,
        audited_as="check_document",
        body=CheckSerializer,
        answer=CheckedSerializer,
        affects=affected_trigger,
        description=(
            "Check whether a delivery is NEW, a DUPLICATE or IN_DOUBT. If several calls check the same "
            "document, exactly one gets NEW; it processes the document and calls `complete/` with the token. "
            "The others acknowledge and do nothing. After a 503, neither process nor acknowledge, but check "
            "again. If the answer was lost, the same call with the same Idempotency-Key returns the same "
            "answer and token."
        ),
    ),
    _call(
        "complete/",
        complete_document,
        audited_as="complete_document",
        body=CompleteSerializer,
        answer=CompletedSerializer,
        affects=affected_trigger,
        description=(
            "Record that the processing of a document has ended, successfully or not: later copies are "
            "DUPLICATE. A repeated call gets the same answer. 409 `lease_lost`: its processing has been "
            "started again."
        ),
    ),
    _call(
        "abandon/",
        abandon_and_report,
        audited_as="abandon_document",
        body=CompleteSerializer,
        answer=AbandonedSerializer,
        affects=affected_trigger,
        description=(
            "Withdraw the processing entry of a document that returns to its queue for a later attempt;"
            " when delivered again, it is NEW."
        ),
    ),
    _call(
        "dry-run/",
        dry_run,
        right=CAN_VIEW_DOCUMENT_HISTORY,
        audited_as="dry_run_document",
        body=DeliverySerializer,
        answer=DryRunSerializer,
        description="Show which rule would decide about a delivery. Writes nothing and calls no resolver.",
    ),
]
