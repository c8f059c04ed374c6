"""
The store's messages over REST: sent, listed, shown.

Source: docs/contributing/spec/interfaces.md, "Message store".
"""

from collections.abc import Collection
from functools import partial

from django.conf import settings
from django.http import HttpResponseBase
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.calls import Action
from messages_app.access.idempotency import Answer
from messages_app.access.reads import Listing, Read
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.filters.table import read_filters
from messages_app.core.problems import not_found
from messages_app.core.representation import represent_value
from messages_app.core.serializers import CountSerializer
from messages_app.message_store import selectors
from messages_app.message_store.api import serializers
from messages_app.message_store.api.actions import MESSAGE
from messages_app.message_store.api.problems import as_problems, identifier_of, message_or_404
from messages_app.message_store.registration import CAN_REPROCESS, CAN_STORE_MESSAGES, CAN_VIEW_STORE
from messages_app.message_store.selectors.explanation import Explanation, explain_message
from messages_app.message_store.selectors.messages import (
    MESSAGES,
    ORDERS,
    listed_messages,
    message_page,
)
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.dry_run import make_dry_run
from messages_app.message_store.services.intake import NewMessage, store_message
from messages_app.payloads.api import content_answer
from messages_app.payloads.loader import visible_content


def receive_message(*, message: NewMessage, actor: Actor) -> Answer:
    """Store a message, and process it if asked. One whose identifier exists is dropped."""
    stored = store_message(message, actor=actor)
    if message.process and not stored.is_dropped and _is_small(message):
        process_message(stored.identifier, seconds=settings.MESSAGE_STORE_AT_ONCE_SECONDS)
    answer = represent_value(serializers.StoredSerializer, (stored, selectors.message_of(stored.identifier)))
    return Answer(200 if stored.is_dropped else 201, answer)


def _is_small(message: NewMessage) -> bool:
    """Whether a request may process it: larger messages and files wait for the monitor."""
    return message.file_path is None and len(message.data or "") <= settings.MESSAGE_STORE_AT_ONCE_BYTES


def count_messages(request: Request) -> dict[str, object]:
    counted = selectors.count_messages(read_filters(MESSAGES, request.query_params))
    return {"count": counted.number, "exact": counted.is_exact}


def explain_one(*, identifier: str) -> Explanation:
    return explain_message(message_or_404(identifier))


def existing_identifier(text: str) -> str:
    """Return the identifier in an address. Raises Problem: 404, no message has it."""
    return message_or_404(text).line.message_identifier


def show_data(
    *, identifier: str, user: Caller, actor: Actor, chosen_fields: Collection[str] | None
) -> HttpResponseBase:
    stored = selectors.data_of(identifier)
    if stored is None:
        raise not_found("Content not available: the message is not in the store.")
    opened = visible_content(*stored, masked=not user.has_perm(roles.CAN_VIEW_PAYLOAD))
    if not opened.view.masked:
        audit.record_entry(
            actor=actor, action="view_stored_data", subject_kind="store_message", subject=identifier
        )
    return content_answer(opened, only=chosen_fields)


_read = partial(Read, right=CAN_VIEW_STORE)

CALLS = [
    Listing(
        "",
        message_page,
        name="Messages",
        right=CAN_VIEW_STORE,
        filters=MESSAGES,
        orders=ORDERS,
        answer=serializers.StoreMessageSerializer,
        lines=listed_messages,
        operation_id="message_store_list",
        description="List messages, newest first, without their data.",
    ),
    Action(
        "",
        receive_message,
        right=CAN_STORE_MESSAGES,
        audited_as="store_message",
        body=serializers.NewStoreMessageSerializer,
        answer=serializers.StoredSerializer,
        statuses=(201, 200),
        errors=as_problems,
        location="message-store/{message_identifier}/",
        operation_id="message_store_create",
        description=(
            "Store a message, and process it if asked. A message whose identifier exists is"
            " dropped with 200. Send corrections as new messages."
        ),
    ),
    _read(
        "count/",
        count_messages,
        query=None,
        parameters=parameters_of(MESSAGES),
        answer=CountSerializer,
        operation_id="message_store_count",
        description="Count messages. Counts by status, system and entity are exact immediately.",
    ),
]
CALLS_OF_ONE = [
    _read(
        "<str:identifier>/",
        message_or_404,
        name="Message",
        tag=MESSAGE,
        answer=serializers.StoreMessageSerializer,
        operation_id="message_store_retrieve",
        description="Return one message without its data.",
    ),
    Listing(
        "<str:identifier>/history/",
        selectors.attempt_page,
        right=CAN_VIEW_STORE,
        key=existing_identifier,
        answer=serializers.AttemptSerializer,
        operation_id="message_store_history",
        description="List the attempts at a message, the newest first, with their logs.",
    ),
    _read(
        "<str:identifier>/explain/",
        explain_one,
        name="Explain",
        answer=serializers.ExplainedSerializer,
        description="Explain the time of a message's next attempt, and what it waits for.",
    ),
    _read(
        "<str:identifier>/rehearsal/",
        make_dry_run,
        right=CAN_REPROCESS,
        key=existing_identifier,
        answer=serializers.RehearsalSerializer,
        description=(
            "Return the changes that an attempt would make now. Nothing is written, no processor runs."
        ),
    ),
    _read(
        "<str:identifier>/data/",
        show_data,
        key=identifier_of,
        answer=serializers.DataSerializer,
        description=(
            "Return a message's data as stored, or masked for users without permission. In a session it is"
            " masked until the user gives a reason at `/reveal/`."
        ),
    ),
]
