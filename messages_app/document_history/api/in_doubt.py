"""
Documents in doubt over REST: the inbox, and the actions on one document.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.db import transaction
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from messages_app.access import roles
from messages_app.access.actors import Caller, actor_of
from messages_app.access.calls import Action
from messages_app.access.reads import Listing, Read
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING_ON_ONE, CodeField
from messages_app.core.parameters import read_address_id
from messages_app.core.problems import not_found
from messages_app.core.serializers import OptionalTextField, RowSerializer, StrictSerializer
from messages_app.document_history import selectors
from messages_app.document_history.api.errors import (
    DocumentView,
    ReasonSerializer,
    affected_trigger,
    as_problems,
    trigger_id_field,
)
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.registration import (
    CAN_RESOLVE_DOCUMENTS,
    CAN_TAKE_DOCUMENTS,
    CAN_VIEW_DOCUMENT_HISTORY,
)
from messages_app.document_history.selectors.entries import IN_DOUBT
from messages_app.document_history.services.in_doubt import (
    Resubmitted,
    resubmit_document,
    settle_document,
    take_resubmitted,
)
from messages_app.document_history.states import InDoubtState, Rule, Verdict
from messages_app.payloads.api import ContentSerializer, content_answer
from messages_app.payloads.loader import content_in_memory, visible_content


class InDoubtSerializer(RowSerializer):
    """A document in doubt, without its content."""

    state = CodeField("InDoubtState", InDoubtState, read_only=True)
    rule = CodeField("DetectionRule", Rule, is_open=True, read_only=True)

    class Meta:
        model = DocumentInDoubt
        fields = (
            *(
                "in_doubt_id",
                "trigger_id",
                "document_uuid",
                "identifier",
                "document_name",
                "redelivery_count",
            ),
            *("rule", "message", "deliveries", "received_at", "last_received_at", "state"),
            *("resolved_at", "resolved_by", "reason", "taken_at", "taken_by"),
        )


class ResubmittedSerializer(serializers.Serializer):
    """A document to process now, without duplicate detection; all fields are null without one."""

    status = CodeField("Verdict", Verdict, constant=Verdict.NEW)
    uuid = serializers.SerializerMethodField()
    token = OptionalTextField(help_text="Token to complete with; absent if there is nothing to complete.")
    in_doubt = InDoubtSerializer(source="line")

    def get_uuid(self, resubmitted: Resubmitted) -> str | None:
        return resubmitted.line.document_uuid or None


class TakeSerializer(StrictSerializer):
    trigger_id = trigger_id_field()


class TakenSerializer(ResubmittedSerializer):
    """A document to process now; every field is null if no resubmitted document waits."""

    status = CodeField("Verdict", Verdict, constant=Verdict.NEW, allow_null=True)
    in_doubt = InDoubtSerializer(source="line", allow_null=True)
    document_name = serializers.CharField(source="line.document_name", allow_null=True)
    document = serializers.JSONField(source="line.document", allow_null=True)

    def to_representation(self, instance: object | None) -> dict[str, object]:
        if instance is None:
            return {name: None for name, _ in self.fields.items() if name != "token"}
        return super().to_representation(instance)


def in_doubt_id(text: str) -> int:
    return read_address_id(text, noun="document in doubt")


def get_document(*, in_doubt_id: int, with_document: bool = False) -> DocumentInDoubt:
    """Return a document in doubt, by default without its content. Raises Problem: 404."""
    line = selectors.in_doubt_of(in_doubt_id, with_document=with_document)
    if line is None:
        raise not_found(f"No document in doubt has the id '{in_doubt_id}'.")
    return line


def show_content(
    *, in_doubt_id: int, user: Caller, actor: Actor, chosen_fields: Collection[str] | None
) -> HttpResponseBase:
    line = get_document(in_doubt_id=in_doubt_id, with_document=True)
    masked = not user.has_perm(roles.CAN_VIEW_PAYLOAD)
    opened = visible_content(*content_in_memory(selectors.text_of(line.document)), masked=masked)
    if not opened.view.masked and opened.view.content is not None:
        _record_view(actor, line)
    return content_answer(opened, only=chosen_fields)


def may_reveal(request: Request) -> bool:
    """Whether a token, or a session that shows values, is calling."""
    return request.auth is not None or request.user.has_perm(roles.CAN_VIEW_PAYLOAD)


def take_document(*, trigger_id: str, actor: Actor) -> Resubmitted | None:
    with transaction.atomic():
        resubmitted = take_resubmitted(trigger_id=trigger_id, actor=actor)
        if resubmitted is not None:
            _record_view(actor, resubmitted.line)
    return resubmitted


def _record_view(actor: Actor, line: DocumentInDoubt) -> None:
    audit.record_entry(actor=actor, action="view_document", subject_kind="in_doubt", subject=line.pk)


class TakeView(DocumentView):
    """The view of a call whose answer has a document, which an Idempotency-Key does not keep."""

    def stored_body(self, body: dict[str, Any]) -> dict[str, object]:
        return super().stored_body(body) | {"document": None}

    def restore_body(self, body: dict[str, Any]) -> dict[str, object]:
        in_doubt = body["in_doubt"]
        if not isinstance(in_doubt, dict):
            return body
        line = DocumentInDoubt.objects.filter(pk=in_doubt["in_doubt_id"]).first()
        if line is None:
            raise not_found("The document that this key took has been erased.")
        _record_view(actor_of(self.request), line)
        return super().restore_body(body) | {"document": line.document}


_read = partial(Read, right=CAN_VIEW_DOCUMENT_HISTORY, key=in_doubt_id)
_decide = partial(Action, view=DocumentView, right=CAN_RESOLVE_DOCUMENTS, key=in_doubt_id, errors=as_problems)

CALLS = [
    Listing(
        "in-doubt/",
        selectors.in_doubt_page,
        name="In Doubt List",
        right=CAN_VIEW_DOCUMENT_HISTORY,
        filters=IN_DOUBT,
        answer=InDoubtSerializer,
        operation_id="document_history_in_doubt_list",
        description="List documents in doubt, newest first; `state=open` is the inbox.",
    ),
    _read(
        "in-doubt/<str:in_doubt_id>/",
        get_document,
        answer=InDoubtSerializer,
        description="Retrieve one document in doubt, without its content.",
    ),
    _read(
        "in-doubt/<str:in_doubt_id>/document/",
        show_content,
        name="In Doubt Content",
        answer=ContentSerializer,
        description=(
            "Return the content of a document in doubt, or with masked values for users without"
            " `view_payload`.\n\nA content that was sent as JSON is returned as its text. In a session,"
            " values are also masked until the user enters a reason at `/reveal/`."
        ),
    ),
    Action(
        "take/",
        take_document,
        view=TakeView,
        right=CAN_TAKE_DOCUMENTS,
        may_call=may_reveal,
        audited_as="take_document",
        body=TakeSerializer,
        answer=TakenSerializer,
        problems=ACTING_ON_ONE,
        affects=affected_trigger,
        errors=as_problems,
        description=(
            "Take the oldest document of a trigger that was resubmitted on its page, to process it. The code "
            "of the trigger polls this. Each document is given to one caller, with its unmasked content and "
            "the token to complete it; `status` is null if no document waits. This is for the code of "
            "triggers with the role `history_service`; operators do not have this permission. A session also "
            "needs `view_payload` and a reason. Each document taken is in the audit log as `view_document`."
        ),
    ),
    _decide(
        "in-doubt/<str:in_doubt_id>/resubmit/",
        resubmit_document,
        audited_as="resubmit_document",
        body=ReasonSerializer,
        answer=ResubmittedSerializer,
        description=(
            "Resubmit a document in doubt to its trigger, skipping duplicate detection. The process that"
            " handles it completes it with the token; earlier tokens are invalid. The first decision wins."
        ),
    ),
    _decide(
        "in-doubt/<str:in_doubt_id>/settle/",
        settle_document,
        audited_as="settle_document",
        body=ReasonSerializer,
        answer=InDoubtSerializer,
        description=(
            "Settle a document in doubt as processed: it is not processed again, and later copies are"
            " DUPLICATE."
        ),
    ),
]
