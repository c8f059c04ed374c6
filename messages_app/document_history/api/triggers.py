"""
Triggers over REST.

Source: docs/spec/interfaces.md, "Document history"; docs/spec/document_history.md, "Stored data", "Console".
"""

from collections.abc import Callable, Mapping

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ApiView
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
    answers,
    page_of,
    paging_parameters,
)
from messages_app.core.pagination import paginator
from messages_app.core.problems import bad_field, not_found, shown
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api import serializers, trigger_serializers
from messages_app.document_history.api.lists import PAGING, listed
from messages_app.document_history.api.problems import DocumentActionView, as_problems, body_of, described
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.states import MAX_TTL_SECONDS


def _found(trigger_id: str) -> DocumentTrigger:
    """Return the trigger of an address. Raises Problem: 404."""
    trigger = None
    if "\0" not in trigger_id:
        trigger = DocumentTrigger.objects.filter(pk=trigger_id, deleted_at=None).first()
    if trigger is None:
        raise not_found(f"No trigger has the id {shown(trigger_id)}.")
    return trigger


class TriggerListView(ActingView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "POST": registration.CAN_CHANGE_TRIGGERS}
    parameters = PAGING
    audited_as = "create_trigger"
    location = "document-history/triggers/{trigger_id}/"

    @extend_schema(
        operation_id="document_history_triggers_list",
        parameters=paging_parameters(),
        responses=answers(200, page_of(trigger_serializers.TriggerSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        """List triggers, by id."""
        how = paginator.arguments(self.values)
        page = selectors.trigger_page(cursor=how["cursor"], page_size=how["page_size"])
        rows = trigger_serializers.TriggerSerializer(page.rows, many=True).data
        return listed(request, page, rows)

    @extend_schema(
        request=trigger_serializers.NewTriggerSerializer,
        parameters=[IDEMPOTENCY],
        responses=answers(201, trigger_serializers.TriggerSerializer, (*ACTING, 409)),
    )
    def post(self, request: Request) -> HttpResponse:
        """Store a trigger."""
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        body = body_of(trigger_serializers.NewTriggerSerializer, request)
        with as_problems():
            trigger = services.create_trigger(actor=actor_of(request), **body.validated_data)
        return Answer(201, trigger_serializers.TriggerSerializer(trigger).data)


class _TaggedView(ActingView):
    """An address of one trigger."""

    moving = frozenset({"counts"})

    def seen(self, request: Request, trigger_id: str) -> Mapping[str, object]:
        key = _found(trigger_id).pk
        trigger = DocumentTrigger.objects.select_for_update(no_key=True).get(pk=key)
        if trigger.deleted_at is not None:
            raise not_found(f"No trigger has the id {shown(trigger_id)}.")
        return trigger_serializers.TriggerSerializer(trigger).data


class TriggerView(_TaggedView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "PATCH": registration.CAN_CHANGE_TRIGGERS}
    audited_as = "change_trigger"

    @extend_schema(
        parameters=[IF_NONE_MATCH],
        responses=answers(200, trigger_serializers.CountedTriggerSerializer, READING_TAGGED),
    )
    def get(self, request: Request, trigger_id: str) -> Response:
        """Give one trigger with its counts."""
        trigger = _found(trigger_id)
        counts = selectors.trigger_counts([trigger.pk])[trigger.pk]
        return Response(trigger_serializers.CountedTriggerSerializer((trigger, counts)).data)

    @extend_schema(
        request=trigger_serializers.TriggerChangesSerializer,
        parameters=[IDEMPOTENCY, IF_MATCH],
        responses=answers(200, trigger_serializers.TriggerSerializer, ACTING_ON_ONE),
    )
    def patch(self, request: Request, trigger_id: str) -> HttpResponse:
        """Change properties; a shorter time to live holds for what is stored, so ask `expiring/` before."""
        return self.answer_once(request, trigger_id=trigger_id)

    def act(self, request: Request, trigger_id: str) -> Answer:
        body = body_of(trigger_serializers.TriggerChangesSerializer, request)
        trigger = _found(trigger_id)
        with as_problems():
            changed = services.change_trigger(
                trigger_id=trigger.pk, actor=actor_of(request), **body.validated_data
            )
        return Answer(200, trigger_serializers.TriggerSerializer(changed).data)


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
        responses=answers(200, trigger_serializers.ExpiringSerializer, READING_ONE),
    )
    def get(self, request: Request, trigger_id: str) -> Response:
        """Return how many entries a time to live would expire immediately."""
        trigger = _found(trigger_id)
        text = self.values.get("history_ttl_seconds", "")
        if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MAX_TTL_SECONDS):
            words = f"history_ttl_seconds must be a number from 1 to {MAX_TTL_SECONDS}."
            raise bad_field("history_ttl_seconds", "out_of_range" if text else "required", words)
        found = selectors.expiring(trigger_id=trigger.pk, ttl_seconds=int(text))
        return Response({"history_ttl_seconds": int(text), "expiring": found})


class _OneTriggerView(_TaggedView, DocumentActionView):
    """A POST about one trigger that says nothing but why; `service` does it."""

    rights = {"POST": registration.CAN_CHANGE_TRIGGERS}
    service: Callable[..., object]

    def done(self, body: serializers.ReasonSerializer, actor: Actor, trigger_id: str) -> DocumentTrigger:
        trigger = _found(trigger_id)
        self.service(trigger_id=trigger.pk, actor=actor, **body.validated_data)
        trigger.refresh_from_db()
        return trigger


@described(
    serializers.ReasonSerializer,
    trigger_serializers.TriggerSerializer,
    description="Resume a suspended trigger.",
    parameters=(IF_MATCH,),
)
class ResumeView(_OneTriggerView):
    audited_as = "resume_trigger"
    service = staticmethod(services.resume_trigger)


@described(
    serializers.ReasonSerializer,
    trigger_serializers.TriggerSerializer,
    description="Delete a trigger. Its entries are removed after their time to live.",
    parameters=(IF_MATCH,),
)
class DeleteView(_OneTriggerView):
    audited_as = "delete_trigger"
    service = staticmethod(services.delete_trigger)
