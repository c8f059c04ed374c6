"""
Check, complete, abandon, dry run and sweep over REST.

Source: docs/spec/interfaces.md, "Document history".
"""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.idempotency import HEADER, check_key
from messages_app.audit.services import Actor
from messages_app.core.api_schema import ACTING, READING, answers
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api import serializers
from messages_app.document_history.api.problems import DocumentActionView, OneTriggerView, described
from messages_app.document_history.dry_run import DryRun, dry_run
from messages_app.document_history.models import DocumentSweep

# One request sweeps no longer than this; what is left, the next sweep takes.
_SWEEP_SECONDS = 10.0


@described(
    serializers.CheckSerializer,
    serializers.CheckedSerializer,
    description=(
        "Check whether a delivery is NEW, a DUPLICATE or IN_DOUBT. If several calls check the same "
        "document, exactly one gets NEW; it processes the document and calls `complete/` with the token. "
        "The others acknowledge and do nothing. After a 503, neither process nor acknowledge, but check "
        "again. If the answer was lost, the same call with the same Idempotency-Key returns the same "
        "answer and token."
    ),
)
class CheckView(OneTriggerView):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "check_document"

    def done(self, body: serializers.CheckSerializer, actor: Actor) -> services.Checked:
        return services.check(**body.arguments())


@described(
    serializers.CompleteSerializer,
    serializers.CompletedSerializer,
    description=(
        "Record that the processing of a document has ended, successfully or not: later copies are DUPLICATE."
        " A repeated call gets the same answer. 409 `lease_lost`: its processing was started again since."
    ),
)
class CompleteView(OneTriggerView):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "complete_document"

    def done(self, body: serializers.CompleteSerializer, actor: Actor) -> services.Completed:
        return services.complete(**body.validated_data)


@described(
    serializers.CompleteSerializer,
    serializers.AbandonedSerializer,
    description=(
        "Withdraw the processing entry of a document that returns to its queue for a later attempt;"
        " when delivered again, it is NEW."
    ),
)
class AbandonView(OneTriggerView):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "abandon_document"

    def done(self, body: serializers.CompleteSerializer, actor: Actor) -> dict[str, object]:
        was_there = services.abandon(**body.validated_data)
        return {**body.validated_data, "abandoned": was_there}


@described(
    serializers.DeliverySerializer,
    serializers.DryRunSerializer,
    description="Show which rule would decide about a delivery. Writes nothing and calls no resolver.",
)
class DryRunView(DocumentActionView):
    rights = {"POST": registration.CAN_VIEW_DOCUMENT_HISTORY}
    audited_as = "dry_run_document"

    def done(self, body: serializers.DeliverySerializer, actor: Actor) -> DryRun:
        return dry_run(**body.arguments())


@described(
    serializers.AskSweepSerializer,
    serializers.SweepSerializer,
    problems=ACTING,
    description=(
        "Remove expired entries now, for at most ten seconds. Each batch is committed separately, so an "
        "Idempotency-Key is checked but stores no answer: a repeated call removes entries that expired "
        "since."
    ),
)
class SweepView(DocumentActionView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "POST": registration.CAN_SWEEP_DOCUMENTS}
    audited_as = "sweep_documents"

    @extend_schema(responses=answers(200, serializers.SweeperSerializer, READING))
    def get(self, request: Request) -> Response:
        """Say when the sweeper ran last, what it removed, and when it runs next."""
        return Response(serializers.SweeperSerializer(selectors.sweeper()).data)

    def post(self, request: Request) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is not None:
            check_key(key)
        answer = self.act(request)
        return Response(answer.body, status=answer.status)

    def done(self, body: serializers.AskSweepSerializer, actor: Actor) -> DocumentSweep:
        return services.sweep(actor=actor, seconds=_SWEEP_SECONDS, reason=body.validated_data["reason"])
