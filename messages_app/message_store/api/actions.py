"""
Actions on one message of the store over REST.

Source: docs/contributing/spec/interfaces.md, "Message store".
"""

from collections.abc import Callable
from functools import partial

from rest_framework import serializers

from messages_app.access.calls import Action
from messages_app.audit.services import Actor
from messages_app.core.etags import Tag
from messages_app.core.representation import represent_value
from messages_app.core.serializers import ReasonField, StrictBooleanField, StrictCharField, StrictSerializer
from messages_app.message_store import selectors
from messages_app.message_store.api.problems import as_problems, identifier_of, message_or_404
from messages_app.message_store.api.serializers import StoreMessageSerializer, StoreStatusSerializer
from messages_app.message_store.models import MessageLine, MessageProcess
from messages_app.message_store.registration import CAN_REPROCESS
from messages_app.message_store.selectors.messages import ListedMessage
from messages_app.message_store.services.messages import (
    mute_message,
    release_message,
    reprocess_message,
    retry_now,
    unmute_message,
)


class _ActionSerializer(StrictSerializer):
    reason = ReasonField()
    expected_state = serializers.IntegerField(
        source="expected",
        required=False,
        allow_null=True,
        default=None,
        help_text="Expected status; 412 if it differs.",
    )


class RetrySerializer(_ActionSerializer):
    """Why."""


class MuteSerializer(_ActionSerializer):
    """Why."""


class ReprocessSerializer(_ActionSerializer):
    """Why; and of a refresh message its entity."""

    confirm_refresh = StrictCharField(
        source="confirmed_entity",
        required=False,
        allow_null=True,
        default=None,
        help_text="The entity of a refresh message, to confirm that its records may end.",
    )


class ReleaseSerializer(_ActionSerializer):
    """Why; and whether nothing works on it."""

    worker_is_dead = StrictBooleanField(
        source="is_worker_dead",
        required=False,
        default=False,
        help_text="true: release it before its timeout.",
    )


def _act_and_show(service: Callable[..., object]) -> Callable[..., ListedMessage | None]:
    """Return a function that calls a service for a message, and returns the message after it."""

    def act_and_show(*, identifier: str, actor: Actor, **values: object) -> ListedMessage | None:
        service(identifier=identifier, actor=actor, **values)
        return selectors.message_of(identifier)

    return act_and_show


def _lock_message(*, identifier: str) -> dict[str, object]:
    rows = {"message_identifier": identifier}
    # In the order of the services' own statements.
    MessageProcess.objects.select_for_update(no_key=True).filter(**rows).first()
    MessageLine.objects.select_for_update(no_key=True).filter(**rows).first()
    return represent_value(StoreMessageSerializer, message_or_404(identifier))


MESSAGE = Tag(lock=_lock_message)
_call = partial(
    Action,
    right=CAN_REPROCESS,
    key=identifier_of,
    answer=StoreStatusSerializer,
    tag=MESSAGE,
    gives_tag=False,
    errors=as_problems,
)

CALLS = [
    _call(
        "<str:identifier>/reprocess/",
        _act_and_show(reprocess_message),
        audited_as="reprocess_stored",
        body=ReprocessSerializer,
        description="Reprocess a message with status 2, 10 or an error. Its history is kept.",
    ),
    _call(
        "<str:identifier>/retry-now/",
        _act_and_show(retry_now),
        audited_as="retry_now_stored",
        body=RetrySerializer,
        description="Make a message that requires reprocessing due now.",
    ),
    _call(
        "<str:identifier>/release/",
        _act_and_show(release_message),
        audited_as="release_stored",
        body=ReleaseSerializer,
        description="Take a message from an attempt, or a place in the queue, that is past its timeout.",
    ),
    _call(
        "<str:identifier>/mute/",
        _act_and_show(mute_message),
        audited_as="mute_stored",
        body=MuteSerializer,
        description=(
            "Mute a message with any status except 1, 3 and 10. The monitor ignores it, and it is not counted"
            " as an error or as waiting until it is unmuted, reprocessed or retried."
        ),
    ),
    _call(
        "<str:identifier>/unmute/",
        _act_and_show(unmute_message),
        audited_as="unmute_stored",
        body=MuteSerializer,
        description="Unmute a message.",
    ),
]
