"""Check, complete, abandon, dry run and sweep over REST. Source: spec/interfaces.md 7."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.idempotency import HEADER, Answer, check_key
from messages_app.document_history import services
from messages_app.document_history.api import serializers
from messages_app.document_history.api.problems import DocumentActionView, as_problems, body_of, described
from messages_app.document_history.trying import dry_run
from messages_app.web.api_schema import ACTING, ACTING_ON_ONE

# One request sweeps no longer than this; what is left, the next sweep takes.
_SWEEP_SECONDS = 10.0


@described(
    200,
    serializers.CheckSerializer,
    serializers.CheckedSerializer,
    ACTING_ON_ONE,
    description=(
        "Say whether a delivery is NEW, a DUPLICATE or IN_DOUBT. Of any number of calls for one document"
        " exactly one is told NEW; it processes the document and calls `complete/` with the token. The others"
        " acknowledge and do nothing. A 503 is no verdict: neither process nor acknowledge, and ask again."
        " Sent again with its Idempotency-Key, a call whose answer was lost has the same answer and token."
    ),
)
class CheckView(DocumentActionView):
    rights = {"POST": roles.CAN_CHECK_DOCUMENTS}
    audited_as = "check_document"

    def act(self, request: Request) -> Answer:
        body = body_of(serializers.CheckSerializer, request)
        with as_problems():
            checked = services.check(**body.arguments())
        return Answer(200, serializers.CheckedSerializer(checked).data)


@described(
    200,
    serializers.CompleteSerializer,
    serializers.CompletedSerializer,
    ACTING_ON_ONE,
    description=(
        "Say that the processing of a document has ended, well or not: what comes after is a DUPLICATE."
        " Repeated, the answer is the same. 409 `lease_lost`: its processing was begun again since."
    ),
)
class CompleteView(DocumentActionView):
    rights = {"POST": roles.CAN_CHECK_DOCUMENTS}
    audited_as = "complete_document"

    def act(self, request: Request) -> Answer:
        body = body_of(serializers.CompleteSerializer, request)
        with as_problems():
            completed = services.complete(**body.validated_data)
        return Answer(200, serializers.CompletedSerializer(completed).data)


@described(
    200,
    serializers.CompleteSerializer,
    serializers.AbandonedSerializer,
    ACTING_ON_ONE,
    description=(
        "Take back the processing entry of a document that goes back to its queue to be tried later;"
        " delivered again, it is NEW."
    ),
)
class AbandonView(DocumentActionView):
    rights = {"POST": roles.CAN_CHECK_DOCUMENTS}
    audited_as = "abandon_document"

    def act(self, request: Request) -> Answer:
        body = body_of(serializers.CompleteSerializer, request)
        values = body.validated_data
        with as_problems():
            was_there = services.abandon(**values)
        return Answer(
            200, {"trigger_id": values["trigger_id"], "uuid": values["uuid"], "abandoned": was_there}
        )


@described(
    200,
    serializers.DeliverySerializer,
    serializers.DryRunSerializer,
    ACTING_ON_ONE,
    description="Say which rule would decide about a delivery. Writes nothing, and calls no resolver.",
)
class DryRunView(DocumentActionView):
    rights = {"POST": roles.CAN_VIEW_DOCUMENT_HISTORY}
    audited_as = "dry_run_document"

    def act(self, request: Request) -> Answer:
        body = body_of(serializers.DeliverySerializer, request)
        with as_problems():
            found = dry_run(**body.arguments())
        return Answer(200, serializers.DryRunSerializer(found).data)


@described(
    200,
    serializers.AskSweepSerializer,
    serializers.SweepSerializer,
    ACTING,
    description=(
        "Remove expired entries now, for ten seconds at most. Each batch is committed by itself, so an"
        " Idempotency-Key is checked but keeps no answer: repeated, the call removes what has expired since."
    ),
)
class SweepView(DocumentActionView):
    rights = {"POST": roles.CAN_SWEEP_DOCUMENTS}
    audited_as = "sweep_documents"

    def post(self, request: Request) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is not None:
            check_key(key)
        answer = self.act(request)
        return Response(answer.body, status=answer.status)

    def act(self, request: Request) -> Answer:
        body = body_of(serializers.AskSweepSerializer, request)
        run = services.sweep(
            actor=actor_of(request), seconds=_SWEEP_SECONDS, reason=body.validated_data["reason"]
        )
        return Answer(200, serializers.SweepSerializer(run).data)
