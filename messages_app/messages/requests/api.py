"""External calls, requests and responses over REST. Source: docs/spec/interfaces.md, "Messages"."""

from collections.abc import Mapping

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.audit import services as audit
from messages_app.core.api_schema import READING, READING_ONE, answers, page_of, paging_parameters
from messages_app.core.filters.table import parameters
from messages_app.core.filters.values import InvalidValue, Parameter, parse_id
from messages_app.core.pagination import paginator
from messages_app.core.parameters import MAX_ID, read_id
from messages_app.core.problems import bad_field, not_found, shown
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.requests import serializers
from messages_app.messages.requests.lists import (
    EXTERNAL_CALLS,
    REQUESTS,
    RESPONSES,
    ListRow,
    RowList,
    get_row,
    has_credentials,
    parse,
    row_page,
)
from messages_app.payloads.loader import ContentSerializer
from messages_app.payloads.payloads import payload_view

_NO_INDEX = (
    "A page may hold fewer rows than asked for, or none, and still have a `next`: without an index for the "
    "filter, each request searches only part of the rows."
)
_CREDENTIALS = (
    "Credentials in addresses are masked. A filter by an address with credentials needs `view_payload`, or "
    "the scope `payload:read`: 403 without."
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
        page = row_page(self.rows, values, **paginator.arguments(request.query_params))
        rows = self.serializer(page.rows, many=True).data
        return Response({**paginator.page_links(request._request, page), "results": rows})


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


# One request or response with its text, live or archived, over REST.
#
# Source: docs/spec/interfaces.md, "Further calls".


_MSG_ID = OpenApiParameter(
    "msg_id",
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    description="The message it belongs to. Required to find it in a Parquet file of the archive.",
)


class _RowView(ApiView):
    """One row of a list, with its text as a payload is given."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = frozenset({"msg_id"})
    rows: RowList
    kind: str
    text: str
    serializer: type[BaseSerializer]

    def answer(self, request: Request, text: str) -> Response:
        key = read_id(text)
        row = None if key is None else get_row(self.rows, key, msg_id=self._msg_id())
        if row is None:
            raise not_found(f"No {self.kind} has the id {shown(text)}.")
        masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        view = payload_view(getattr(row, self.text), masked=masked)
        if not view.masked and view.content is not None:
            audit.record(actor=actor_of(request), action=f"view_{self.kind}", msg_id=row.msg_id)
        return Response(
            {**self.serializer(row).data, **ContentSerializer(view).data, **self.more(row, masked=masked)}
        )

    def more(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        """Return further members, for a reader who reads masked or in clear."""
        return {}

    def _msg_id(self) -> int | None:
        if "msg_id" not in self.values:
            return None
        try:
            return parse_id(self.values["msg_id"], Parameter("msg_id"))
        except InvalidValue as error:
            raise bad_field("msg_id", error.code, str(error)) from None


class RequestView(_RowView):
    rows, kind, text = REQUESTS, "request", "req_envelope"
    serializer = serializers.RequestSerializer

    @extend_schema(
        operation_id="requests_retrieve",
        parameters=[_MSG_ID],
        responses=answers(200, serializers.RequestDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, req_id: str) -> Response:
        """
        Give one request with its text and whole address, or with values and credentials masked to others.

        In a session they are masked until its reader has said why, at `/reveal/`.
        """
        return self.answer(request, req_id)

    def more(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        return {"uri": row.uri} if isinstance(row, RequestColumns) and not masked else {}


class ResponseView(_RowView):
    rows, kind, text = RESPONSES, "response", "res_envelope"
    serializer = serializers.ResponseSerializer

    @extend_schema(
        operation_id="responses_retrieve",
        parameters=[_MSG_ID],
        responses=answers(200, serializers.ResponseDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, res_id: str) -> Response:
        """
        Give one response with its text, or with its values masked to who may not read them.

        In a session they are masked until its reader has said why, at `/reveal/`.
        """
        return self.answer(request, res_id)

    def more(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        return {"failed_reason": row.failed_reason} if isinstance(row, ResponseColumns) else {}
