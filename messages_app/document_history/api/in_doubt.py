"""Documents in doubt over REST: the inbox, and what is done about one. Source: spec/interfaces.md 7."""

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.document_history import queries, services
from messages_app.document_history.api import in_doubt_serializers as serializers
from messages_app.document_history.api.lists import asked, listed
from messages_app.document_history.api.problems import DocumentActionView, OneTriggerView, described
from messages_app.document_history.api.serializers import ReasonSerializer
from messages_app.document_history.listing.filters import IN_DOUBT
from messages_app.document_history.models import DocumentInDoubt
from messages_app.web.api_schema import READING, answers, page_of, paging_parameters
from messages_app.web.filters.schema import parameters as parameters_of
from messages_app.web.ids import read_id
from messages_app.web.problems import not_found, shown


def _id(text: str) -> int:
    found = read_id(text)
    if found is None:
        raise not_found(f"No document in doubt has the id {shown(text)}.")
    return found


class InDoubtListView(ApiView):
    rights = {"GET": roles.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = None

    @extend_schema(
        operation_id="document_history_in_doubt_list",
        description="List documents in doubt, newest first; `state=open` is the inbox.",
        parameters=[*parameters_of(IN_DOUBT), *paging_parameters()],
        responses=answers(200, page_of(serializers.InDoubtSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values, how = asked(IN_DOUBT, request)
        page = queries.in_doubt_page(values=values, **how)
        rows = serializers.InDoubtSerializer(page.rows, many=True).data
        return listed(request, page, rows)


@described(
    ReasonSerializer,
    serializers.ResubmittedSerializer,
    description=(
        "Have a document in doubt processed by its trigger, past the detection of duplicates. Who processes"
        " it completes with the token; tokens from before are void. The first decision wins."
    ),
)
class ResubmitView(DocumentActionView):
    rights = {"POST": roles.CAN_RESOLVE_DOCUMENTS}
    audited_as = "resubmit_document"

    def done(self, body: ReasonSerializer, actor: Actor, in_doubt_id: str) -> services.Resubmitted:
        return services.resubmit(in_doubt_id=_id(in_doubt_id), actor=actor, **body.validated_data)


@described(
    ReasonSerializer,
    serializers.InDoubtSerializer,
    description="Settle a document in doubt as processed: later copies are DUPLICATE, nothing runs.",
)
class SettleView(DocumentActionView):
    rights = {"POST": roles.CAN_RESOLVE_DOCUMENTS}
    audited_as = "settle_document"

    def done(self, body: ReasonSerializer, actor: Actor, in_doubt_id: str) -> DocumentInDoubt:
        return services.settle(in_doubt_id=_id(in_doubt_id), actor=actor, **body.validated_data)


@described(
    serializers.TakeSerializer,
    serializers.TakenSerializer,
    description=(
        "Take the oldest document of a trigger that was resubmitted on its page, to process it: the trigger's"
        " own code asks this now and then. Each is given to one caller, with its content in clear and the"
        " token to complete it; `status` is null where none waits. It is for the code of triggers, which has"
        " the role `history_service`; operators do not have this right. A session also needs"
        " `view_payload` and a reason. Each document that is given is in the audit log as `view_document`."
    ),
)
class TakeView(OneTriggerView):
    rights = {"POST": roles.CAN_TAKE_DOCUMENTS}
    reveals = frozenset({"POST"})
    audited_as = "take_document"

    def done(self, body: serializers.TakeSerializer, actor: Actor) -> services.Resubmitted | None:
        with transaction.atomic():
            taken = services.take_resubmitted(actor=actor, **body.validated_data)
            if taken is not None:
                _record_view(actor, taken.line)
        return taken

    def kept(self, body: dict[str, object]) -> dict[str, object]:
        return super().kept(body) | {"document": None}

    def restored(self, body: dict[str, object], request: Request) -> dict[str, object]:
        if body["in_doubt"] is None:
            return body
        line = DocumentInDoubt.objects.filter(pk=body["in_doubt"]["in_doubt_id"]).first()
        if line is None:
            raise not_found("The document that this key took has been erased.")
        _record_view(actor_of(request), line)
        return super().restored(body, request) | {"document": line.document}


def _record_view(actor: Actor, line: DocumentInDoubt) -> None:
    audit.record(actor=actor, action="view_document", subject_kind="in_doubt", subject=line.pk)
