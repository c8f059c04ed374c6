"""
Documents in doubt over REST: the inbox, and the actions on one document.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from django.db import transaction
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.access.calls import describe_post
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.api_schema import (
    ACTING_ON_ONE,
    READING,
    READING_ONE,
    CodeField,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.lists.api import PAGING, filters_of, page_answer, page_wanted
from messages_app.core.parameters import read_address_id
from messages_app.core.problems import not_found, quote_value
from messages_app.core.representation import represent_all, represent_value
from messages_app.core.serializers import StrictSerializer
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api.problems import DocumentActionView, OneTriggerView
from messages_app.document_history.api.serializers import (
    ReasonBody,
    ReasonSerializer,
    TriggerBody,
    trigger_id_field,
    without_missing_token,
)
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.selectors.entries import IN_DOUBT
from messages_app.document_history.states import InDoubtState, Rule, Verdict
from messages_app.payloads.api import ContentSerializer, content_answer
from messages_app.payloads.loader import content_in_memory, visible_content

# Bodies and answers of the calls about documents in doubt.
#
# Source: docs/contributing/spec/interfaces.md, "Document history".


class InDoubtSerializer(serializers.ModelSerializer):
    """A document in doubt, without its content."""

    state = CodeField("InDoubtState", InDoubtState, read_only=True)
    rule = CodeField("DetectionRule", Rule, is_open=True, read_only=True)

    class Meta:
        model = DocumentInDoubt
        fields = (
            "in_doubt_id",
            "trigger_id",
            "document_uuid",
            "identifier",
            "document_name",
            "redelivery_count",
            "rule",
            "message",
            "deliveries",
            "received_at",
            "last_received_at",
            "state",
            "resolved_at",
            "resolved_by",
            "reason",
            "taken_at",
            "taken_by",
        )
        read_only_fields = fields


class ResubmittedSerializer(serializers.Serializer):
    """A document to process now, without duplicate detection; all fields are null without one."""

    status = serializers.SerializerMethodField()
    uuid = serializers.SerializerMethodField()
    token = serializers.CharField(
        required=False, help_text=("Token to complete with; absent if there is nothing to complete.")
    )
    in_doubt = InDoubtSerializer(source="line")

    @extend_schema_field(CodeField("Verdict", Verdict))
    def get_status(self, _: object) -> str:
        return str(Verdict.NEW)

    def get_uuid(self, resubmitted: services.Resubmitted) -> str | None:
        return resubmitted.line.document_uuid or None

    def to_representation(self, instance: object) -> dict[str, object]:
        return without_missing_token(super().to_representation(instance))


class TakeSerializer(StrictSerializer):
    trigger_id = trigger_id_field()


class TakenSerializer(ResubmittedSerializer):
    """A document to process now; every field is null if no resubmitted document waits."""

    in_doubt = InDoubtSerializer(source="line", allow_null=True)
    document_name = serializers.CharField(source="line.document_name", allow_null=True)
    document = serializers.JSONField(source="line.document", allow_null=True)

    @extend_schema_field(CodeField("Verdict", Verdict, allow_null=True))
    def get_status(self, _: object) -> str:
        return str(Verdict.NEW)

    def to_representation(self, instance: object | None) -> dict[str, object]:
        if instance is None:
            return {name: None for name, _ in self.fields.items() if name != "token"}
        return super().to_representation(instance)


def _parse_id(text: str) -> int:
    return read_address_id(text, noun="document in doubt")


class InDoubtListView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = None

    @extend_schema(
        operation_id="document_history_in_doubt_list",
        description="List documents in doubt, newest first; `state=open` is the inbox.",
        parameters=[*parameters_of(IN_DOUBT), *paging_parameters()],
        responses=describe_answers(200, page_of(InDoubtSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, IN_DOUBT, other_parameters=PAGING)
        page = selectors.in_doubt_page(values=values, **page_wanted(request))
        return page_answer(request, page, represent_all(InDoubtSerializer, page.rows))


def _line_of(text: str, *, with_document: bool = False) -> DocumentInDoubt:
    """Return the document of an address. Raises Problem: 404."""
    line = selectors.in_doubt_of(_parse_id(text), with_document=with_document)
    if line is None:
        raise not_found(f"No document in doubt has the id {quote_value(text)}.")
    return line


class InDoubtView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}

    @extend_schema(responses=describe_answers(200, InDoubtSerializer, READING_ONE))
    def get(self, request: Request, in_doubt_id: str) -> Response:
        """Retrieve one document in doubt, without its content."""
        return Response(represent_value(InDoubtSerializer, _line_of(in_doubt_id)))


class InDoubtContentView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}

    @extend_schema(responses=describe_answers(200, ContentSerializer, READING_ONE))
    def get(self, request: Request, in_doubt_id: str) -> HttpResponseBase:
        """
        Return the content of a document in doubt, or with masked values for users without `view_payload`.

        A content that was sent as JSON is returned as its text. In a session, values are also masked until
        the user enters a reason at `/reveal/`.
        """
        line = _line_of(in_doubt_id, with_document=True)
        masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        opened = visible_content(*content_in_memory(selectors.text_of(line.document)), masked=masked)
        if not opened.view.masked and opened.view.content is not None:
            _record_view(actor_of(request), line)
        return content_answer(opened, only=self.chosen_fields)


@describe_post(
    ReasonSerializer,
    {200: ResubmittedSerializer},
    ACTING_ON_ONE,
    description=(
        "Resubmit a document in doubt to its trigger, skipping duplicate detection. The process that handles"
        " it completes it with the token; earlier tokens are invalid. The first decision wins."
    ),
)
class ResubmitView(DocumentActionView[ReasonBody]):
    rights = {"POST": registration.CAN_RESOLVE_DOCUMENTS}
    audited_as = "resubmit_document"

    def perform(self, body: ReasonBody, actor: Actor, in_doubt_id: str) -> services.Resubmitted | None:
        return services.resubmit_document(in_doubt_id=_parse_id(in_doubt_id), actor=actor, **body)


@describe_post(
    ReasonSerializer,
    {200: InDoubtSerializer},
    ACTING_ON_ONE,
    description=(
        "Settle a document in doubt as processed: it is not processed again, and later copies are DUPLICATE."
    ),
)
class SettleView(DocumentActionView[ReasonBody]):
    rights = {"POST": registration.CAN_RESOLVE_DOCUMENTS}
    audited_as = "settle_document"

    def perform(self, body: ReasonBody, actor: Actor, in_doubt_id: str) -> DocumentInDoubt:
        return services.settle_document(in_doubt_id=_parse_id(in_doubt_id), actor=actor, **body)


@describe_post(
    TakeSerializer,
    {200: TakenSerializer},
    ACTING_ON_ONE,
    description=(
        "Take the oldest document of a trigger that was resubmitted on its page, to process it. The code "
        "of the trigger polls this. Each document is given to one caller, with its unmasked content and "
        "the token to complete it; `status` is null if no document waits. This is for the code of triggers "
        "with the role `history_service`; operators do not have this permission. A session also needs "
        "`view_payload` and a reason. Each document taken is in the audit log as `view_document`."
    ),
)
class TakeView(OneTriggerView[TriggerBody]):
    rights = {"POST": registration.CAN_TAKE_DOCUMENTS}
    reveals = frozenset({"POST"})
    audited_as = "take_document"

    def perform(self, body: TriggerBody, actor: Actor) -> services.Resubmitted | None:
        with transaction.atomic():
            taken = services.take_resubmitted(actor=actor, **body)
            if taken is not None:
                _record_view(actor, taken.line)
        return taken

    def stored_body(self, body: dict[str, object]) -> dict[str, object]:
        return super().stored_body(body) | {"document": None}

    def restore_body(self, body: dict[str, object], request: Request) -> dict[str, object]:
        in_doubt = body["in_doubt"]
        if not isinstance(in_doubt, dict):
            return body
        line = DocumentInDoubt.objects.filter(pk=in_doubt["in_doubt_id"]).first()
        if line is None:
            raise not_found("The document that this key took has been erased.")
        _record_view(actor_of(request), line)
        return super().restore_body(body, request) | {"document": line.document}


def _record_view(actor: Actor, line: DocumentInDoubt) -> None:
    audit.record_entry(actor=actor, action="view_document", subject_kind="in_doubt", subject=line.pk)
