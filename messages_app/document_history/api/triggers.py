"""
Triggers over REST.

Source: docs/contributing/spec/interfaces.md, "Document history"; docs/contributing/spec/document_history.md,
"Stored data", "Console".
"""

from collections.abc import Mapping
from functools import partial

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.access.reads import Listing, Read
from messages_app.core.api_schema import ACTING
from messages_app.core.etags import Tag
from messages_app.core.problems import bad_field, not_found, quote_value
from messages_app.core.representation import represent_value
from messages_app.core.serializers import (
    ReasonField,
    RowSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.document_history import selectors
from messages_app.document_history.api.errors import DocumentView, ReasonSerializer, as_problems, list_choices
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.registration import CAN_CHANGE_TRIGGERS, CAN_VIEW_DOCUMENT_HISTORY
from messages_app.document_history.selectors import COUNTED
from messages_app.document_history.services.resolvers import fault_of
from messages_app.document_history.services.triggers import (
    change_trigger,
    create_trigger,
    delete_trigger,
    resume_trigger,
)
from messages_app.document_history.states import MAX_TTL_SECONDS, RetryFailure


class TriggerCountsSerializer(serializers.Serializer):
    """The figures of a trigger. Counts stop at a fence: one more than the fence means "more than"."""

    stored = serializers.IntegerField(help_text=f"Entries; {COUNTED + 1}: more than {COUNTED}.")
    expired = serializers.IntegerField(help_text="Expired entries that are not yet removed.")
    undetermined = serializers.IntegerField(help_text="Documents with only a processing entry.")
    oldest_undetermined = serializers.DateTimeField(allow_null=True)
    started = serializers.IntegerField(help_text="In the last 24 hours, like the next two.")
    duplicates = serializers.IntegerField()
    in_doubt = serializers.IntegerField()
    open_doubts = serializers.IntegerField(help_text="In doubt without a decision.")


class TriggerSerializer(RowSerializer):
    resolver_fault = serializers.SerializerMethodField(
        help_text="Why the resolver is unavailable in the answering process; empty if it is available."
    )

    def get_resolver_fault(self, trigger: DocumentTrigger) -> str:
        return fault_of(trigger.resolver)

    class Meta:
        model = DocumentTrigger
        fields: tuple[str, ...] = (
            *("trigger_id", "name", "detect_duplicates", "use_history", "history_ttl_seconds", "resolver"),
            *("resolver_fault", "on_retry_failure", "suspended_at", "suspended_because", "created_at"),
        )


class CountedTriggerSerializer(TriggerSerializer):
    """A trigger with its figures."""

    counts = TriggerCountsSerializer()

    class Meta(TriggerSerializer.Meta):
        fields = (*TriggerSerializer.Meta.fields, "counts")

    def to_representation(self, instance: tuple[DocumentTrigger, object]) -> dict[str, object]:
        trigger, counts = instance
        return represent_value(TriggerSerializer, trigger) | {
            "counts": represent_value(TriggerCountsSerializer, counts)
        }


class TriggerChangesSerializer(StrictSerializer):
    """Properties of a trigger; missing ones stay unchanged."""

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
    on_retry_failure = StrictChoiceField(required=False, choices=list_choices(RetryFailure))
    reason = ReasonField(required=False, default="", allow_blank=True)


class NewTriggerSerializer(TriggerChangesSerializer):
    trigger_id = StrictCharField(
        required=False,
        max_length=MAX_TRIGGER_ID,
        trim_whitespace=False,
        help_text="Default: a new UUID. Ids cannot be reused.",
    )
    name = StrictCharField(max_length=200)


class ExpiringSerializer(serializers.Serializer):
    history_ttl_seconds = serializers.IntegerField()
    expiring = serializers.IntegerField(help_text=f"Entries; {COUNTED + 1}: more than {COUNTED}.")


def existing_trigger_id(text: str) -> str:
    """Return the id in an address. Raises Problem: 404, no trigger has it."""
    if "\0" in text or not DocumentTrigger.objects.filter(pk=text, deleted_at=None).exists():
        raise not_found(f"No trigger has the id {quote_value(text)}.")
    return text


def _lock_trigger(*, trigger_id: str) -> Mapping[str, object]:
    trigger = DocumentTrigger.objects.select_for_update(no_key=True).get(pk=trigger_id)
    if trigger.deleted_at is not None:
        raise not_found(f"No trigger has the id {quote_value(trigger_id)}.")
    return represent_value(TriggerSerializer, trigger)


def read_trigger(*, trigger_id: str) -> tuple[DocumentTrigger, selectors.TriggerCounts]:
    return DocumentTrigger.objects.get(pk=trigger_id), selectors.trigger_counts([trigger_id])[trigger_id]


def count_expiring_entries(*, trigger_id: str, values: Mapping[str, str]) -> Mapping[str, int]:
    text = values.get("history_ttl_seconds", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MAX_TTL_SECONDS):
        words = f"history_ttl_seconds must be a number from 1 to {MAX_TTL_SECONDS}."
        raise bad_field("history_ttl_seconds", "out_of_range" if text else "required", words)
    number = selectors.count_expiring(trigger_id=trigger_id, ttl_seconds=int(text))
    return {"history_ttl_seconds": int(text), "expiring": number}


_TRIGGER = Tag(lock=_lock_trigger, moving=frozenset({"counts"}))
_read = partial(Read, right=CAN_VIEW_DOCUMENT_HISTORY, key=existing_trigger_id)
_change = partial(
    Action, right=CAN_CHANGE_TRIGGERS, key=existing_trigger_id, errors=as_problems, answer=TriggerSerializer
)

CALLS = [
    Listing(
        "triggers/",
        selectors.trigger_page,
        name="Trigger List",
        right=CAN_VIEW_DOCUMENT_HISTORY,
        answer=TriggerSerializer,
        operation_id="document_history_triggers_list",
        description="List triggers, by id.",
    ),
    _change(
        "triggers/",
        create_trigger,
        audited_as="create_trigger",
        body=NewTriggerSerializer,
        statuses=(201,),
        problems=(*ACTING, 409),
        location="document-history/triggers/{trigger_id}/",
        description="Store a trigger.",
    ),
    _read(
        "triggers/<str:trigger_id>/",
        read_trigger,
        name="Trigger",
        answer=CountedTriggerSerializer,
        tag=_TRIGGER,
        description="Return one trigger with its counts.",
    ),
    _change(
        "triggers/<str:trigger_id>/",
        change_trigger,
        method="PATCH",
        audited_as="change_trigger",
        body=TriggerChangesSerializer,
        tag=_TRIGGER,
        description=(
            "Change properties. A shorter time to live also applies to stored entries, so call `expiring/`"
            " first."
        ),
    ),
    _change(
        "triggers/<str:trigger_id>/delete/",
        delete_trigger,
        view=DocumentView,
        audited_as="delete_trigger",
        body=ReasonSerializer,
        tag=_TRIGGER,
        description="Delete a trigger. Its entries are removed after their time to live.",
    ),
    _read(
        "triggers/<str:trigger_id>/expiring/",
        count_expiring_entries,
        query=frozenset({"history_ttl_seconds"}),
        parameters=[
            OpenApiParameter(
                "history_ttl_seconds",
                {"type": "integer", "minimum": 1, "maximum": MAX_TTL_SECONDS},
                required=True,
            )
        ],
        answer=ExpiringSerializer,
        description="Return how many entries a time to live would expire immediately.",
    ),
    _change(
        "triggers/<str:trigger_id>/resume/",
        resume_trigger,
        view=DocumentView,
        audited_as="resume_trigger",
        body=ReasonSerializer,
        tag=_TRIGGER,
        description="Resume a suspended trigger.",
    ),
]
