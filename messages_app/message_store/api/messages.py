"""
The store's messages over REST: sent, listed, checked, acted on.

Source: docs/contributing/spec/interfaces.md, "Message store".
"""

from typing import TypeVar

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ActingView, ApiView
from messages_app.access.calls import ServiceCallView, describe_post
from messages_app.access.idempotency import Answer
from messages_app.audit import services as audit
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
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.lists.api import PAGING, filters_of, page_answer, page_wanted
from messages_app.core.pagination import paginator
from messages_app.core.problems import not_found
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import CountSerializer
from messages_app.message_store import registration, selectors, services
from messages_app.message_store.api import serializers
from messages_app.message_store.api.problems import as_problems, identifier_of, message_or_404
from messages_app.message_store.models import MessageLine, MessageProcess
from messages_app.payloads.api import content_answer
from messages_app.payloads.loader import visible_content


class MessagesView(ActingView):
    rights = {"GET": registration.CAN_VIEW_STORE, "POST": registration.CAN_STORE_MESSAGES}
    parameters = None
    audited_as = "store_message"
    location = "message-store/{message_identifier}/"

    @extend_schema(
        operation_id="message_store_list",
        description="List messages, newest first, without their data.",
        parameters=[
            *parameters_of(selectors.MESSAGES),
            *paging_parameters(tuple(order.name for order in selectors.ORDERS)),
        ],
        responses=describe_answers(200, page_of(serializers.StoreMessageSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, selectors.MESSAGES, other_parameters=paginator.PARAMETERS)
        page = selectors.message_page(values=values, **paginator.parse_paging(request.query_params))
        rows = represent_all(serializers.StoreMessageSerializer, selectors.listed_messages(page.rows))
        return page_answer(request, page, rows)

    @extend_schema(
        operation_id="message_store_create",
        description=(
            "Store a message, and process it if asked. A message whose identifier exists is"
            " dropped with 200. Send corrections as new messages."
        ),
        request=serializers.NewStoreMessageSerializer,
        parameters=[IDEMPOTENCY],
        responses={
            **describe_answers(201, serializers.StoredSerializer, ACTING),
            200: serializers.StoredSerializer,
        },
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer_once(request)

    def act(self, request: Request) -> Answer:
        with as_problems():
            message = services.read_message(request.data)
            stored = services.store_message(message, actor=actor_of(request))
        if message.process and not stored.is_dropped and _is_small(message):
            services.process_message(stored.identifier, seconds=settings.MESSAGE_STORE_AT_ONCE_SECONDS)
        shown = represent_value(
            serializers.StoredSerializer, (stored, selectors.message_of(stored.identifier))
        )
        return Answer(200 if stored.is_dropped else 201, shown)


def _is_small(message: services.NewMessage) -> bool:
    """Whether a request may process it: larger messages and files wait for the monitor."""
    return message.file_path is None and len(message.data or "") <= settings.MESSAGE_STORE_AT_ONCE_BYTES


class CountView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}
    parameters = None

    @extend_schema(
        operation_id="message_store_count",
        description="Count messages. Counts by status, system and entity are exact immediately.",
        parameters=parameters_of(selectors.MESSAGES),
        responses=describe_answers(200, CountSerializer, READING),
    )
    def get(self, request: Request) -> Response:
        count, is_exact = selectors.count_messages(
            filters_of(request, selectors.MESSAGES, other_parameters=frozenset())
        )
        return Response({"count": count, "exact": is_exact})


class MessageView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}
    moving = frozenset()

    @extend_schema(
        operation_id="message_store_retrieve",
        parameters=[IF_NONE_MATCH],
        responses=describe_answers(200, serializers.StoreMessageSerializer, READING_TAGGED),
    )
    def get(self, request: Request, identifier: str) -> Response:
        """Return one message without its data."""
        return Response(represent_value(serializers.StoreMessageSerializer, message_or_404(identifier)))


class ExplainView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}

    @extend_schema(responses=describe_answers(200, serializers.ExplainedSerializer, READING_ONE))
    def get(self, request: Request, identifier: str) -> Response:
        """Explain the time of a message's next attempt, and what it waits for."""
        return Response(
            represent_value(
                serializers.ExplainedSerializer, selectors.explain_message(message_or_404(identifier))
            )
        )


class RehearsalView(ApiView):
    rights = {"GET": registration.CAN_REPROCESS}

    @extend_schema(responses=describe_answers(200, serializers.RehearsalSerializer, READING_ONE))
    def get(self, request: Request, identifier: str) -> Response:
        """Return the changes that an attempt would make now. Nothing is written, no processor runs."""
        dry_run = services.make_dry_run(message_or_404(identifier).line.message_identifier)
        return Response(represent_value(serializers.RehearsalSerializer, dry_run))


class HistoryView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}
    parameters = PAGING

    @extend_schema(
        operation_id="message_store_history",
        parameters=paging_parameters(),
        responses=describe_answers(200, page_of(serializers.AttemptSerializer), READING_ONE),
    )
    def get(self, request: Request, identifier: str) -> Response:
        """List the attempts at a message, the newest first, with their logs."""
        key = message_or_404(identifier).line.message_identifier
        page = selectors.attempt_page(key, **page_wanted(request))
        return page_answer(request, page, represent_all(serializers.AttemptSerializer, page.rows))


class DataView(ApiView):
    rights = {"GET": registration.CAN_VIEW_STORE}

    @extend_schema(responses=describe_answers(200, serializers.DataSerializer, READING_ONE))
    def get(self, request: Request, identifier: str) -> HttpResponseBase:
        """
        Return a message's data as stored, or masked for users without permission. In a session it is masked
        until the user gives a reason at `/reveal/`.
        """
        key = identifier_of(identifier)
        stored = selectors.data_of(key)
        if stored is None:
            raise not_found("Content not available: the message is not in the store.")
        opened = visible_content(*stored, masked=not request.user.has_perm(roles.CAN_VIEW_PAYLOAD))
        if not opened.view.masked:
            audit.record_entry(
                actor=actor_of(request),
                action="view_stored_data",
                subject_kind="store_message",
                subject=key,
            )
        return content_answer(opened, only=self.chosen_fields)


OfAction = TypeVar("OfAction", bound=serializers.ActionBody)


class _OneMessageView(ServiceCallView[OfAction]):
    """A POST about one message. A subclass writes `change`."""

    rights = {"POST": registration.CAN_REPROCESS}
    as_problems = staticmethod(as_problems)
    moving = frozenset()
    gives_tagged = False

    def locked_object(self, request: Request, identifier: str) -> dict[str, object]:
        key = identifier_of(identifier)
        rows = {"message_identifier": key}
        # In the order of the services' own statements.
        MessageProcess.objects.select_for_update(no_key=True).filter(**rows).first()
        MessageLine.objects.select_for_update(no_key=True).filter(**rows).first()
        return represent_value(serializers.StoreMessageSerializer, message_or_404(identifier))

    def call(self, body: OfAction, actor: Actor, identifier: str) -> Answer:
        key = identifier_of(identifier)
        self.change(key, body, actor)
        return Answer(200, represent_value(serializers.StoreStatusSerializer, selectors.message_of(key)))

    def change(self, key: str, body: OfAction, actor: Actor) -> None:
        """Call the service for a message."""
        raise NotImplementedError


@describe_post(
    serializers.ReprocessSerializer,
    {200: serializers.StoreStatusSerializer},
    ACTING_ON_ONE,
    description="Reprocess a message with status 2, 10 or an error. Its history is kept.",
    parameters=(IF_MATCH,),
)
class ReprocessView(_OneMessageView[serializers.ReprocessBody]):
    audited_as = "reprocess_stored"

    def change(self, key: str, body: serializers.ReprocessBody, actor: Actor) -> None:
        services.reprocess_message(
            identifier=key,
            actor=actor,
            reason=body["reason"],
            expected=body["expected_state"],
            confirmed_entity=body["confirm_refresh"],
        )


@describe_post(
    serializers.RetrySerializer,
    {200: serializers.StoreStatusSerializer},
    ACTING_ON_ONE,
    description="Make a message that requires reprocessing due now.",
    parameters=(IF_MATCH,),
)
class RetryNowView(_OneMessageView[serializers.ActionBody]):
    audited_as = "retry_now_stored"

    def change(self, key: str, body: serializers.ActionBody, actor: Actor) -> None:
        services.retry_now(
            identifier=key, actor=actor, reason=body["reason"], expected=body["expected_state"]
        )


@describe_post(
    serializers.ReleaseSerializer,
    {200: serializers.StoreStatusSerializer},
    ACTING_ON_ONE,
    description="Take a message from an attempt, or a place in the queue, that is past its timeout.",
    parameters=(IF_MATCH,),
)
class ReleaseView(_OneMessageView[serializers.ReleaseBody]):
    audited_as = "release_stored"

    def change(self, key: str, body: serializers.ReleaseBody, actor: Actor) -> None:
        services.release_message(
            identifier=key,
            actor=actor,
            reason=body["reason"],
            expected=body["expected_state"],
            is_worker_dead=body["worker_is_dead"],
        )


@describe_post(
    serializers.MuteSerializer,
    {200: serializers.StoreStatusSerializer},
    ACTING_ON_ONE,
    description=(
        "Mute a message with any status except 1, 3 and 10. The monitor ignores it, and it is not counted"
        " as an error or as waiting until it is unmuted, reprocessed or retried."
    ),
    parameters=(IF_MATCH,),
)
class MuteView(_OneMessageView[serializers.ActionBody]):
    audited_as = "mute_stored"

    def change(self, key: str, body: serializers.ActionBody, actor: Actor) -> None:
        services.mute_message(
            identifier=key, actor=actor, reason=body["reason"], expected=body["expected_state"]
        )


@describe_post(
    serializers.MuteSerializer,
    {200: serializers.StoreStatusSerializer},
    ACTING_ON_ONE,
    description="Unmute a message.",
    parameters=(IF_MATCH,),
)
class UnmuteView(_OneMessageView[serializers.ActionBody]):
    audited_as = "unmute_stored"

    def change(self, key: str, body: serializers.ActionBody, actor: Actor) -> None:
        services.unmute_message(
            identifier=key, actor=actor, reason=body["reason"], expected=body["expected_state"]
        )
