"""
Content, timeline, family and explanation of a message over REST.

Source: docs/contributing/spec/interfaces.md, "Messages".
"""

from collections.abc import Collection, Mapping
from functools import partial

from django.http import Http404, HttpResponseBase
from rest_framework import serializers
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.reads import Read
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.messages import selectors
from messages_app.messages.api import message_id, refusals_as_problems
from messages_app.messages.api_fields import message_state, parent_binding
from messages_app.messages.detail.content_views import open_content
from messages_app.messages.detail.tree import find_family
from messages_app.messages.diagnosis.explain import explain_by_id
from messages_app.messages.diagnosis.reason_texts import REASON_TEXTS
from messages_app.messages.diagnosis.reasons import NEXT_MEANINGS, By, Reason
from messages_app.messages.metrics.api import polling_field
from messages_app.messages.metrics.polling import polling_state
from messages_app.messages.tables import MessageNotFound
from messages_app.messages.timeline.entries import KIND_MEANINGS, Kind
from messages_app.messages.timeline.history import timeline_of
from messages_app.payloads.api import ContentSerializer, content_answer

_KINDS = " ".join(f"`{kind}`: {meaning}" for kind, meaning in KIND_MEANINGS.items())


class EntrySerializer(serializers.Serializer):
    at = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(
        allow_null=True,
        help_text="End time; null for an event without duration and for an entry that has not ended.",
    )
    kind = serializers.ChoiceField(choices=[str(kind) for kind in Kind], help_text=_KINDS)
    text = serializers.CharField()
    state = serializers.CharField(
        allow_blank=True, help_text="Of the message, external call or job; empty if it has no state."
    )
    actor = serializers.CharField(allow_blank=True, help_text="The user; empty for the hub.")
    id = serializers.IntegerField(allow_null=True)
    note = serializers.CharField(allow_blank=True)


class TimelineSerializer(serializers.Serializer):
    entries = EntrySerializer(many=True)
    truncated = serializers.BooleanField(
        help_text="Only the first 200 and the last 200 entries are included."
    )
    polling = polling_field()


class TreeNodeSerializer(serializers.Serializer):
    msg_id = serializers.IntegerField()
    parent_msg_id = serializers.IntegerField(allow_null=True)
    state = message_state()
    parent_binding_type = parent_binding()
    archived = serializers.BooleanField()
    depth = serializers.IntegerField(help_text="0 for the root.")


class TreeSerializer(serializers.Serializer):
    # The library's types have `root` as the serializer around a field.
    root = serializers.IntegerField(  # type: ignore[assignment]
        help_text="The topmost stored message; with cyclic parent links, the smallest id in the cycle."
    )
    nodes = TreeNodeSerializer(many=True, help_text="Level by level, live and archived, each listed once.")
    truncated = serializers.BooleanField(
        help_text="There are more than 10 000 members, or more parents above the root."
    )


class NextStepSerializer(serializers.Serializer):
    what = serializers.ChoiceField(choices=list(NEXT_MEANINGS.items()))
    at = serializers.DateTimeField(allow_null=True, help_text="Not before this time; null: unknown.")
    latest = serializers.DateTimeField(
        allow_null=True, help_text=("At about this time, if the hub is running.")
    )
    by = serializers.ChoiceField(choices=[str(actor) for actor in By])
    becomes = serializers.CharField(allow_null=True, help_text="The resulting state, if known.")


class ExplanationSerializer(serializers.Serializer):
    reason = serializers.ChoiceField(choices=[(reason, REASON_TEXTS[reason].meaning) for reason in Reason])
    summary = serializers.CharField(help_text="Sentences for people; the wording can change.")
    blocked_by = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="The messages that must change first: only the nearest cause; for a consequential "
        "failure, its root cause.",
    )
    next = NextStepSerializer()
    mentions = serializers.ListField(
        child=serializers.IntegerField(), help_text="All messages named in the summary."
    )


def read_timeline(*, msg_id: int) -> Mapping[str, object]:
    message, _ = selectors.get_message(msg_id)
    timeline = timeline_of(message)
    return {"entries": timeline.entries, "truncated": timeline.is_truncated, "polling": polling_state()}


def read_explanation(*, msg_id: int) -> Response:
    explanation = explain_by_id(msg_id)
    # Without a serializer, because the times in `next` are already strings.
    return Response(
        {
            "reason": explanation.reason,
            "summary": explanation.summary,
            "blocked_by": explanation.blocked_by,
            "next": explanation.next,
            "mentions": explanation.mentions,
        }
    )


def read_content(
    kind: str, *, msg_id: int, user: Caller, actor: Actor, chosen_fields: Collection[str] | None
) -> HttpResponseBase:
    try:
        opened = open_content(kind, msg_id, masked=not user.has_perm(roles.CAN_VIEW_PAYLOAD))
    except Http404:
        raise MessageNotFound(msg_id) from None
    if not opened.view.masked:
        audit.record_entry(actor=actor, action=f"view_{kind}", msg_id=msg_id)
    return content_answer(opened, only=chosen_fields)


_read = partial(Read, right=roles.CAN_VIEW_MESSAGES, key=message_id, errors=refusals_as_problems)

CALLS = [
    *(
        _read(
            f"messages/<str:msg_id>/{kind}/",
            partial(read_content, kind),
            name="Content",
            answer=ContentSerializer,
            description=(
                "Return the text as stored, or with masked values for users without `view_payload`.\n\nIn a"
                " session, values are also masked until the user enters a reason at `/reveal/`."
            ),
        )
        for kind in ("payload", "envelope")
    ),
    _read(
        "messages/<str:msg_id>/explain/",
        read_explanation,
        answer=ExplanationSerializer,
        description=(
            "Explain the state of a message, live or archived: its reason, blocking messages and next step."
        ),
    ),
    _read(
        "messages/<str:msg_id>/timeline/",
        read_timeline,
        answer=TimelineSerializer,
        description=(
            "Return the timeline of a message, live or archived, oldest entry first.\n\nAttempts and waits"
            " follow from changes of state. Without a history of these, only the last attempt is known."
        ),
    ),
    _read(
        "messages/<str:msg_id>/tree/",
        find_family,
        answer=TreeSerializer,
        description=(
            "Return the family of a message: its topmost ancestor with all descendants, live and archived."
        ),
    ),
]
