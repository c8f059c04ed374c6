"""Documents in doubt over REST: the inbox, and what is done about one. Source: spec/interfaces.md 7."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.access.idempotency import Answer
from messages_app.document_history import queries, services
from messages_app.document_history.api import serializers
from messages_app.document_history.api.lists import asked, listed
from messages_app.document_history.api.problems import DocumentActionView, as_problems, body_of, described
from messages_app.document_history.listing.filters import IN_DOUBT
from messages_app.web.api_schema import ACTING_ON_ONE, READING, answers, page_of, paging_parameters
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
    200,
    serializers.ResolveSerializer,
    serializers.ResubmittedSerializer,
    ACTING_ON_ONE,
    description=(
        "Have a document in doubt processed by its trigger, past the detection of duplicates. Who processes"
        " it completes with the token; tokens from before are void. The first decision wins."
    ),
)
class ResubmitView(DocumentActionView):
    rights = {"POST": roles.CAN_RESOLVE_DOCUMENTS}
    audited_as = "resubmit_document"

    def act(self, request: Request, in_doubt_id: str) -> Answer:
        body = body_of(serializers.ResolveSerializer, request)
        with as_problems():
            resubmitted = services.resubmit(
                in_doubt_id=_id(in_doubt_id), actor=actor_of(request), **body.validated_data
            )
        return Answer(200, serializers.ResubmittedSerializer(resubmitted).data)


@described(
    200,
    serializers.ResolveSerializer,
    serializers.InDoubtSerializer,
    ACTING_ON_ONE,
    description="Settle a document in doubt as processed: later copies are DUPLICATE, nothing runs.",
)
class SettleView(DocumentActionView):
    rights = {"POST": roles.CAN_RESOLVE_DOCUMENTS}
    audited_as = "settle_document"

    def act(self, request: Request, in_doubt_id: str) -> Answer:
        body = body_of(serializers.ResolveSerializer, request)
        with as_problems():
            line = services.settle(
                in_doubt_id=_id(in_doubt_id), actor=actor_of(request), **body.validated_data
            )
        return Answer(200, serializers.InDoubtSerializer(line).data)
