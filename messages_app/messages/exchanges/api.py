"""External calls, requests and responses over REST. Source: spec/interfaces.md 5."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from messages_app.access import roles
from messages_app.access.api import ApiView
from messages_app.messages.exchanges import serializers
from messages_app.messages.exchanges.lists import (
    EXTERNAL_CALLS,
    REQUESTS,
    RESPONSES,
    RowList,
    has_credentials,
    parse,
)
from messages_app.messages.exchanges.queries import row_page
from messages_app.web import paging
from messages_app.web.api_schema import READING, answers, page_of, paging_parameters
from messages_app.web.filters.schema import parameters

_NO_INDEX = (
    "A page may hold fewer rows than asked for, or none, and still have a `next`: a filter that no index "
    "serves is looked for some way a request."
)
_CREDENTIALS = (
    "Credentials in addresses are masked. A filter by an address that has some needs `view_payload`, or the"
    " scope `payload:read`: 403 without."
)


def _parameters(rows: RowList) -> list[OpenApiParameter]:
    orders = tuple(order.name for order in rows.orders)
    return [*parameters(rows.filters), *paging_parameters(orders)]


class _RowListView(ApiView):
    """A list; a subclass names its rows and their serializer."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = None
    rows: RowList
    serializer: type[BaseSerializer]

    def page(self, request: Request) -> Response:
        values = parse(self.rows, request.query_params)
        if has_credentials(values) and not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
            self.permission_denied(request)
        page = row_page(self.rows, values, **paging.arguments(request.query_params))
        rows = self.serializer(page.rows, many=True).data
        return Response({**paging.page_links(request._request, page), "results": rows})


class ExternalCallListView(_RowListView):
    rows = EXTERNAL_CALLS
    serializer = serializers.ExternalCallSerializer

    @extend_schema(
        operation_id="external_calls_list",
        description=f"List external calls, newest first. {_CREDENTIALS} {_NO_INDEX}",
        parameters=_parameters(EXTERNAL_CALLS),
        responses=answers(200, page_of(serializers.ExternalCallSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.page(request)


class RequestListView(_RowListView):
    rows = REQUESTS
    serializer = serializers.RequestSerializer

    @extend_schema(
        operation_id="requests_list",
        description=f"List requests, newest first, without their texts. {_CREDENTIALS} {_NO_INDEX}",
        parameters=_parameters(REQUESTS),
        responses=answers(200, page_of(serializers.RequestSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.page(request)


class ResponseListView(_RowListView):
    rows = RESPONSES
    serializer = serializers.ResponseSerializer

    @extend_schema(
        operation_id="responses_list",
        description=(
            "List responses, newest first, without their texts. `msg_id` gives the responses to the "
            f"message's requests, and those of the message that name no request. {_NO_INDEX}"
        ),
        parameters=_parameters(RESPONSES),
        responses=answers(200, page_of(serializers.ResponseSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.page(request)
