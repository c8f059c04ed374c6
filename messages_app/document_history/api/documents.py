"""
Documents over REST: check, complete, abandon, dry run; the history, its statistics and its sweeper.

Source: docs/contributing/spec/interfaces.md, "Document history".
"""

from collections.abc import Sequence

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.access.calls import describe_post
from messages_app.access.idempotency import HEADER, check_key
from messages_app.audit.services import Actor
from messages_app.core.api_schema import (
    ACTING,
    ACTING_ON_ONE,
    READING,
    describe_answers,
    page_of,
    paging_parameters,
)
from messages_app.core.filters.table import describe_parameters as parameters_of
from messages_app.core.lists.api import PAGING, filters_of, page_answer, page_wanted
from messages_app.core.pagination import paginator
from messages_app.core.representation import represent_all, represent_value
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api import serializers
from messages_app.document_history.api.problems import DocumentActionView, ManyView, OneTriggerView
from messages_app.document_history.dry_run import DryRun, dry_run
from messages_app.document_history.models import DocumentSweep
from messages_app.document_history.selectors.entries import ENTRIES, ORDERS, STATISTICS

# Time limit of a sweep in one request; the next sweep removes the rest.
_SWEEP_SECONDS = 10.0


@describe_post(
    serializers.CheckSerializer,
    {200: serializers.CheckedSerializer},
    ACTING_ON_ONE,
    description=(
        "Check whether a delivery is NEW, a DUPLICATE or IN_DOUBT. If several calls check the same "
        "document, exactly one gets NEW; it processes the document and calls `complete/` with the token. "
        "The others acknowledge and do nothing. After a 503, neither process nor acknowledge, but check "
        "again. If the answer was lost, the same call with the same Idempotency-Key returns the same "
        "answer and token."
    ),
)
class CheckView(OneTriggerView[serializers.CheckBody]):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "check_document"

    def perform(self, body: serializers.CheckBody, actor: Actor) -> services.Checked:
        return services.check_document(**body)


@describe_post(
    serializers.CompleteSerializer,
    {200: serializers.CompletedSerializer},
    ACTING_ON_ONE,
    description=(
        "Record that the processing of a document has ended, successfully or not: later copies are DUPLICATE."
        " A repeated call gets the same answer. 409 `lease_lost`: its processing has been started again."
    ),
)
class CompleteView(OneTriggerView[serializers.CompleteBody]):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "complete_document"

    def perform(self, body: serializers.CompleteBody, actor: Actor) -> services.Completed:
        return services.complete_document(**body)


@describe_post(
    serializers.CheckManySerializer,
    {200: serializers.CheckedManySerializer},
    ACTING,
    description=(
        f"Check up to {serializers.MAX_DOCUMENTS} deliveries, as calls of `check/` one after the other would."
        " Each document has its own entry of `results`: the answer of `check/`, or a problem"
        " with the `status` and `code` that `check/` would have returned. If the whole call"
        " is answered with a 503, no document was checked. With an Idempotency-Key, a repeat returns the same"
        " results, also the problems."
    ),
)
class CheckManyView(ManyView):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "check_document"
    one, answer = serializers.CheckSerializer, serializers.CheckedSerializer

    def answers_of(self, documents: Sequence[serializers.CheckBody]) -> Sequence[object]:
        return services.check_many([services.Delivered.of(**document) for document in documents])


@describe_post(
    serializers.CompleteManySerializer,
    {200: serializers.CompletedManySerializer},
    ACTING,
    description=(
        f"Complete up to {serializers.MAX_DOCUMENTS} documents, as calls of `complete/` one after the other"
        " would. Each document has its own entry of `results`: the answer of `complete/`, or a"
        " problem with the `status` and `code` that `complete/` would have returned."
    ),
)
class CompleteManyView(ManyView):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "complete_document"
    one, answer = serializers.CompleteSerializer, serializers.CompletedSerializer

    def answers_of(self, documents: Sequence[services.Completion]) -> Sequence[object]:
        return services.complete_many(documents)


@describe_post(
    serializers.CompleteSerializer,
    {200: serializers.AbandonedSerializer},
    ACTING_ON_ONE,
    description=(
        "Withdraw the processing entry of a document that returns to its queue for a later attempt;"
        " when delivered again, it is NEW."
    ),
)
class AbandonView(OneTriggerView[serializers.CompleteBody]):
    rights = {"POST": registration.CAN_CHECK_DOCUMENTS}
    audited_as = "abandon_document"

    def perform(self, body: serializers.CompleteBody, actor: Actor) -> serializers.AbandonedAnswer:
        was_there = services.abandon_document(**body)
        return {"trigger_id": body["trigger_id"], "uuid": body["uuid"], "abandoned": was_there}


@describe_post(
    serializers.DeliverySerializer,
    {200: serializers.DryRunSerializer},
    ACTING_ON_ONE,
    description="Show which rule would decide about a delivery. Writes nothing and calls no resolver.",
)
class DryRunView(DocumentActionView[serializers.DeliveryBody]):
    rights = {"POST": registration.CAN_VIEW_DOCUMENT_HISTORY}
    audited_as = "dry_run_document"

    def perform(self, body: serializers.DeliveryBody, actor: Actor) -> DryRun:
        return dry_run(**body)


@describe_post(
    serializers.AskSweepSerializer,
    {200: serializers.SweepSerializer},
    ACTING,
    description=(
        "Remove expired entries now, for at most ten seconds. Each batch is committed separately, so an "
        "Idempotency-Key is checked but stores no answer: a repeated call removes newly expired "
        "entries."
    ),
)
class SweepView(DocumentActionView[serializers.ReasonBody]):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY, "POST": registration.CAN_SWEEP_DOCUMENTS}
    audited_as = "sweep_documents"

    @extend_schema(responses=describe_answers(200, serializers.SweeperSerializer, READING))
    def get(self, request: Request) -> Response:
        """Return the sweeper's last run, the entries it removed, and the time of the next run."""
        return Response(represent_value(serializers.SweeperSerializer, selectors.sweeper_state()))

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is not None:
            check_key(key)
        answer = self.act(request)
        return Response(answer.body, status=answer.status)

    def perform(self, body: serializers.ReasonBody, actor: Actor) -> DocumentSweep:
        return services.sweep_entries(actor=actor, seconds=_SWEEP_SECONDS, reason=body["reason"])


class EntryListView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = None

    @extend_schema(
        operation_id="document_history_entries_list",
        description=(
            "List the history, one line for a document with both its entries. `state=processing` selects"
            " undetermined documents. With `uuid_prefix` the order is by UUID."
        ),
        parameters=[*parameters_of(ENTRIES), *paging_parameters(tuple(order.name for order in ORDERS))],
        responses=describe_answers(200, page_of(serializers.HistoryEntrySerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, ENTRIES, other_parameters=paginator.PARAMETERS)
        page = selectors.entry_page(values=values, **paginator.parse_paging(request.query_params))
        rows = represent_all(serializers.HistoryEntrySerializer, selectors.entry_lines(page.rows))
        return page_answer(request, page, rows)


class StatisticsView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = None

    @extend_schema(
        operation_id="document_history_statistics_list",
        description="List Duplicates and In Doubts of the last 30 days that were not cleared, newest first.",
        parameters=[*parameters_of(STATISTICS), *paging_parameters()],
        responses=describe_answers(200, page_of(serializers.StatisticsSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values = filters_of(request, STATISTICS, other_parameters=PAGING)
        page = selectors.outcome_page(values=values, **page_wanted(request))
        rows = represent_all(serializers.StatisticsSerializer, page.rows)
        return page_answer(request, page, rows)


@describe_post(
    serializers.ClearSerializer,
    {200: serializers.ClearedSerializer},
    ACTING_ON_ONE,
    description="Remove all outcomes up to now from the statistics. History and decisions do not change.",
)
class ClearStatisticsView(DocumentActionView[serializers.ClearBody]):
    rights = {"POST": registration.CAN_CHANGE_TRIGGERS}
    audited_as = "clear_statistics"

    def perform(self, body: serializers.ClearBody, actor: Actor) -> serializers.ClearedAnswer:
        services.clear_statistics(actor=actor, **body)
        return {"trigger_id": body["trigger_id"], "cleared": True}
