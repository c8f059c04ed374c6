"""
Triggers over REST.

Source: docs/contributing/spec/interfaces.md, "Document history"; docs/contributing/spec/document_history.md,
"Stored data", "Console".
"""

from collections.abc import Callable, Mapping
from typing import Required

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ApiView
from messages_app.access.calls import describe_post, validate_body
from messages_app.access.idempotency import Answer
from messages_app.audit.services import Actor
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    IDEMPOTENCY,
    IF_MATCH,
    IF_NONE_MATCH,
    READING,
    READING_ONE,
    READING_TAGGED,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.lists.api import PAGING, page_answer, page_wanted
from messages_app.core.problems import bad_field, not_found, quote_value
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictIntegerField,
    StrictSerializer,
)
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api.problems import DocumentActionView, as_problems
from messages_app.document_history.api.serializers import (
    ReasonBody,
    ReasonSerializer,
    choices,
    optional_reason,
)
from messages_app.document_history.models import MAX_TRIGGER_ID, DocumentTrigger
from messages_app.document_history.selectors import COUNTED
from messages_app.document_history.services.resolvers import fault_of
from messages_app.document_history.services.triggers import TriggerChanges, TriggerProperties
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


class TriggerSerializer(serializers.ModelSerializer):
    resolver_fault = serializers.SerializerMethodField(
        help_text="Why the resolver is unavailable in the answering process; empty if it is available."
    )

    def get_resolver_fault(self, trigger: DocumentTrigger) -> str:
        return fault_of(trigger.resolver)

    class Meta:
        model = DocumentTrigger
        fields: tuple[str, ...] = (
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
    on_retry_failure = StrictChoiceField(required=False, choices=choices(RetryFailure))
    reason = optional_reason()


class TriggerChangesBody(TriggerChanges, total=False):
    reason: Required[str]


class NewTriggerSerializer(TriggerChangesSerializer):
    trigger_id = StrictCharField(
        required=False,
        max_length=MAX_TRIGGER_ID,
        trim_whitespace=False,
        help_text="Default: a new UUID. Ids cannot be reused.",
    )
    name = StrictCharField(max_length=200)


class NewTriggerBody(TriggerProperties, total=False):
    reason: Required[str]


class ExpiringSerializer(serializers.Serializer):
    history_ttl_seconds = serializers.IntegerField()
    expiring = serializers.IntegerField(help_text=f"Entries; {COUNTED + 1}: more than {COUNTED}.")


def _get_trigger(trigger_id: str) -> DocumentTrigger:
    """Return the trigger of an address. Raises Problem: 404."""
    trigger = None
    if "\0" not in trigger_id:
        trigger = DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).first()
    if trigger is None:
        raise not_found(f"No trigger has the id {quote_value(trigger_id)}.")
    return trigger


class TriggerListView(ActingView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "POST": registration.CAN_CHANGE_TRIGGERS}
    parameters = PAGING
    audited_as = "create_trigger"
    location = "document-history/triggers/{trigger_id}/"

    @extend_schema(
        operation_id="document_history_triggers_list",
        parameters=paging_parameters(),
        responses=describe_answers(200, page_of(TriggerSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List triggers, by id."""
        page = selectors.trigger_page(**page_wanted(request))
        return page_answer(request, page, represent_all(TriggerSerializer, page.rows))

    @extend_schema(
        request=NewTriggerSerializer,
        parameters=[IDEMPOTENCY],
        responses=describe_answers(201, TriggerSerializer, (*ACTING, 409)),
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a trigger."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body: NewTriggerBody = validate_body(NewTriggerSerializer, request)
        with as_problems():
            trigger = services.create_trigger(actor=actor_of(request), **body)
        return Answer(201, represent_value(TriggerSerializer, trigger))


class _TaggedView(ActingView):
    """An address of one trigger."""

    moving = frozenset({"counts"})

    def locked_object(self, request: Request, trigger_id: str) -> Mapping[str, object]:
        key = _get_trigger(trigger_id).pk
        trigger = DocumentTrigger.objects.select_for_update(no_key=True).get(pk=key)
        if trigger.deleted_at is not None:
            raise not_found(f"No trigger has the id {quote_value(trigger_id)}.")
        return represent_value(TriggerSerializer, trigger)


class TriggerView(_TaggedView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "PATCH": registration.CAN_CHANGE_TRIGGERS}
    audited_as = "change_trigger"

    @extend_schema(
        parameters=[IF_NONE_MATCH],
        responses=describe_answers(200, CountedTriggerSerializer, READING_TAGGED),
    )
    def get(self, request: Request, trigger_id: str) -> Response:
        """Return one trigger with its counts."""
        trigger = _get_trigger(trigger_id)
        counts = selectors.trigger_counts([trigger.pk])[trigger.pk]
        return Response(represent_value(CountedTriggerSerializer, (trigger, counts)))

    @extend_schema(
        request=TriggerChangesSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=describe_answers(200, TriggerSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, trigger_id: str) -> HttpResponse:
        """
        Change properties. A shorter time to live also applies to stored entries, so call `expiring/` first.
        """
        return self.answer_once(request, trigger_id=trigger_id)

    def act(self, request: Request, trigger_id: str) -> Answer:
        body: TriggerChangesBody = validate_body(TriggerChangesSerializer, request)
        trigger = _get_trigger(trigger_id)
        with as_problems():
            changed = services.change_trigger(trigger_id=trigger.pk, actor=actor_of(request), **body)
        return Answer(200, represent_value(TriggerSerializer, changed))


class ExpiringView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = frozenset({"history_ttl_seconds"})

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "history_ttl_seconds",
                {"type": "integer", "minimum": 1, "maximum": MAX_TTL_SECONDS},
                required=True,
            )
        ],
        responses=describe_answers(200, ExpiringSerializer, READING_ONE),
    )
    def get(self, request: Request, trigger_id: str) -> Response:
        """Return how many entries a time to live would expire immediately."""
        trigger = _get_trigger(trigger_id)
        text = self.values.get("history_ttl_seconds", "")
        if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MAX_TTL_SECONDS):
            words = f"history_ttl_seconds must be a number from 1 to {MAX_TTL_SECONDS}."
            raise bad_field("history_ttl_seconds", "out_of_range" if text else "required", words)
        found = selectors.count_expiring(trigger_id=trigger.pk, ttl_seconds=int(text))
        return Response({"history_ttl_seconds": int(text), "expiring": found})


class _OneTriggerView(_TaggedView, DocumentActionView[ReasonBody]):
    """A POST about one trigger with a reason, for `service`."""

    rights = {"POST": registration.CAN_CHANGE_TRIGGERS}
    service: Callable[..., object]

    def perform(self, body: ReasonBody, actor: Actor, trigger_id: str) -> DocumentTrigger:
        trigger = _get_trigger(trigger_id)
        self.service(trigger_id=trigger.pk, actor=actor, **body)
        trigger.refresh_from_db()
        return trigger


@describe_post(
    ReasonSerializer,
    {200: TriggerSerializer},
    ACTING_ON_ONE,
    description="Resume a suspended trigger.",
    parameters=(IF_MATCH,),
)
class ResumeView(_OneTriggerView):
    audited_as = "resume_trigger"
    service = staticmethod(services.resume_trigger)


@describe_post(
    ReasonSerializer,
    {200: TriggerSerializer},
    ACTING_ON_ONE,
    description="Delete a trigger. Its entries are removed after their time to live.",
    parameters=(IF_MATCH,),
)
class DeleteView(_OneTriggerView):
    audited_as = "delete_trigger"
    service = staticmethod(services.delete_trigger)
