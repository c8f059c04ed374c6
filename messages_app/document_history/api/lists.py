"""
The history, and the exactly-once statistics, over REST.

Source: docs/spec/interfaces.md, "Document history".
"""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.audit.services import Actor
from messages_app.core.api_schema import READING, answers, page_of, paging_parameters
from messages_app.core.filters.table import Table, read
from messages_app.core.filters.table import parameters as parameters_of
from messages_app.core.pagination import paginator
from messages_app.core.problems import bad_input
from messages_app.document_history import registration, selectors, services
from messages_app.document_history.api import serializers
from messages_app.document_history.api.problems import DocumentActionView, described
from messages_app.document_history.selectors.entries import ENTRIES, ORDERS, STATISTICS

PAGING = frozenset({"cursor", "page_size"})


def asked(
    filters: Table, request: Request, *, besides: frozenset[str] = PAGING
) -> tuple[dict[str, object], dict[str, object]]:
    """
    Return the values of a list's filters, and its paging.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    values, errors = read(filters, request.query_params, besides=besides)
    if errors:
        raise bad_input(errors)
    found = paginator.arguments(request.query_params)
    if "ordering" not in besides:
        del found["ordering"]
    return values, found


def listed(request: Request, page: paginator.Page, rows: list[dict[str, object]]) -> Response:
    return Response({**paginator.page_links(request._request, page), "results": rows})


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
        responses=answers(200, page_of(serializers.HistoryEntrySerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values, how = asked(ENTRIES, request, besides=paginator.PARAMETERS)
        page = selectors.entry_page(values=values, **how)
        rows = serializers.HistoryEntrySerializer(selectors.described(page.rows), many=True).data
        return listed(request, page, rows)


class StatisticsView(ApiView):
    rights = {"GET": registration.CAN_VIEW_DOCUMENT_HISTORY}
    parameters = None

    @extend_schema(
        operation_id="document_history_statistics_list",
        description="List Duplicates and In Doubts of the last 30 days that were not cleared, newest first.",
        parameters=[*parameters_of(STATISTICS), *paging_parameters()],
        responses=answers(200, page_of(serializers.StatisticsSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        values, how = asked(STATISTICS, request)
        page = selectors.outcome_page(values=values, **how)
        rows = serializers.StatisticsSerializer(page.rows, many=True).data
        return listed(request, page, rows)


@described(
    serializers.ClearSerializer,
    serializers.ClearedSerializer,
    description="Remove all outcomes up to now from the statistics. History and decisions do not change.",
)
class ClearStatisticsView(DocumentActionView):
    rights = {"POST": registration.CAN_CHANGE_TRIGGERS}
    audited_as = "clear_statistics"

    def done(self, body: serializers.ClearSerializer, actor: Actor) -> dict[str, object]:
        services.clear_statistics(actor=actor, **body.validated_data)
        return {"trigger_id": body.validated_data["trigger_id"], "cleared": True}
