"""
The API of external calls, requests and responses: their lists, and one request or response with its text.

Source: docs/contributing/spec/interfaces.md, "Messages", "Further calls".
"""

from collections.abc import Mapping

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.api import ApiView
from messages_app.audit import services as audit
from messages_app.core.api_schema import READING, READING_ONE, describe_answers, page_of, paging_parameters
from messages_app.core.filters.table import describe_parameters
from messages_app.core.filters.values import InvalidValue, Parameter, parse_id
from messages_app.core.lists.api import page_answer
from messages_app.core.pagination import paginator
from messages_app.core.parameters import MAX_ID, MIN_ID, read_id
from messages_app.core.problems import bad_field, not_found, quote_value
from messages_app.messages import models
from messages_app.messages.api_fields import external_call_state
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.traffic.row_lists import (
    EXTERNAL_CALLS,
    REQUESTS,
    RESPONSES,
    ListRow,
    RowList,
    has_credentials,
    parse_row_filters,
)
from messages_app.messages.traffic.selectors import get_row, row_page
from messages_app.payloads.api import ContentSerializer, content_answer
from messages_app.payloads.loader import visible_content

_ADDRESS = "Credentials are always masked: user information and parameter values."


_SIZE = "Size of the text in UTF-8 bytes; null if nothing is stored."


_CONTENT = ("content", "content_type", "bytes", "masked")


class _RowSerializer(serializers.ModelSerializer):
    archived = serializers.BooleanField()


class ExternalCallSerializer(_RowSerializer):
    state = external_call_state(read_only=True)
    operation_name = serializers.CharField(source="shown_operation", help_text=_ADDRESS)

    class Meta:
        model = models.ExternalCall
        fields: tuple[str, ...] = (
            "call_id",
            "msg_id",
            "operation_name",
            "state",
            "entity_id",
            "msg_timestamp",
            "creation_timestamp",
            "last_update_timestamp",
            "failed_count",
            "archived",
        )
        read_only_fields: tuple[str, ...] = fields


class RequestSerializer(_RowSerializer):
    uri = serializers.CharField(source="shown_uri", help_text=_ADDRESS)
    req_envelope_bytes = serializers.IntegerField(help_text=_SIZE)

    class Meta:
        model = models.Request
        fields: tuple[str, ...] = (
            "req_id",
            "msg_id",
            "res_join_id",
            "uri",
            "req_timestamp",
            "req_envelope_bytes",
            "archived",
        )
        read_only_fields: tuple[str, ...] = fields


class ResponseSerializer(_RowSerializer):
    res_envelope_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)
    failed_reason_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)

    class Meta:
        model = models.Response
        fields: tuple[str, ...] = (
            "res_id",
            "req_id",
            "msg_id",
            "res_timestamp",
            "failed",
            "res_envelope_bytes",
            "failed_reason_bytes",
            "archived",
        )
        read_only_fields: tuple[str, ...] = fields


class RequestDetailSerializer(RequestSerializer, ContentSerializer):
    class Meta(RequestSerializer.Meta):
        fields = (*RequestSerializer.Meta.fields, *_CONTENT)
        read_only_fields: tuple[str, ...] = fields


class ResponseDetailSerializer(ResponseSerializer, ContentSerializer):
    failed_reason = serializers.CharField(allow_null=True)

    class Meta(ResponseSerializer.Meta):
        fields = (*ResponseSerializer.Meta.fields, "failed_reason", *_CONTENT)
        read_only_fields = fields


_NO_INDEX = (
    "A page may have fewer rows than requested, or no rows, and still have a `next`: without an index for "
    "the filter, each request searches only part of the rows."
)


_CREDENTIALS = (
    "Credentials in addresses are masked. A filter by an address with credentials requires `view_payload` "
    "or the scope `payload:read`; otherwise the answer is 403."
)


def _list_parameters(rows: RowList) -> list[OpenApiParameter]:
    orders = tuple(order.name for order in rows.orders)
    return [*describe_parameters(rows.filters), *paging_parameters(orders)]


class _RowListView(ApiView):
    """A list. Subclasses set its rows and their serializer."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = None
    rows: RowList
    serializer: type[serializers.BaseSerializer]

    def answer_page(self, request: Request) -> Response:
        values = parse_row_filters(self.rows, request.query_params)
        if has_credentials(values) and not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
            self.permission_denied(request)
        page = row_page(self.rows, values, **paginator.parse_paging(request.query_params))
        return page_answer(request, page, self.serializer(page.rows, many=True).data)


class ExternalCallListView(_RowListView):
    rows = EXTERNAL_CALLS
    serializer = ExternalCallSerializer

    @extend_schema(
        operation_id="external_calls_list",
        description=f"List external calls, newest first. {_CREDENTIALS} {_NO_INDEX}",
        parameters=_list_parameters(EXTERNAL_CALLS),
        responses=describe_answers(200, page_of(ExternalCallSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.answer_page(request)


class RequestListView(_RowListView):
    rows = REQUESTS
    serializer = RequestSerializer

    @extend_schema(
        operation_id="requests_list",
        description=f"List requests, newest first, without their texts. {_CREDENTIALS} {_NO_INDEX}",
        parameters=_list_parameters(REQUESTS),
        responses=describe_answers(200, page_of(RequestSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.answer_page(request)


class ResponseListView(_RowListView):
    rows = RESPONSES
    serializer = ResponseSerializer

    @extend_schema(
        operation_id="responses_list",
        description=(
            "List responses, newest first, without their texts. `msg_id` selects the responses to the "
            f"message's requests, and its responses without a request. {_NO_INDEX}"
        ),
        parameters=_list_parameters(RESPONSES),
        responses=describe_answers(200, page_of(ResponseSerializer), READING),
    )
    def get(self, request: Request) -> Response:
        return self.answer_page(request)


_MSG_ID = OpenApiParameter(
    "msg_id",
    {"type": "integer", "minimum": MIN_ID, "maximum": MAX_ID},
    description="The id of its message. Required to find it in a Parquet file of the archive.",
)


class _RowView(ApiView):
    """One row of a list with its text, which is masked like a payload."""

    rights = {"GET": roles.CAN_VIEW_MESSAGES}
    parameters = frozenset({"msg_id"})
    rows: RowList
    kind: str
    serializer: type[serializers.BaseSerializer]

    def answer_row(self, request: Request, text: str) -> HttpResponseBase:
        key = read_id(text)
        one_row = None if key is None else get_row(self.rows, key, msg_id=self._requested_msg_id())
        if one_row is None:
            raise not_found(f"No {self.kind} has the id {quote_value(text)}.")
        masked = not request.user.has_perm(roles.CAN_VIEW_PAYLOAD)
        opened = visible_content(one_row.beginning, one_row.source, masked=masked)
        if not opened.view.masked and opened.view.content is not None:
            audit.record_entry(actor=actor_of(request), action=f"view_{self.kind}", msg_id=one_row.row.msg_id)
        members = self.serializer(one_row.row).data | self.further_members(one_row.row, masked=masked)
        return content_answer(opened, before=members, only=self.chosen_fields)

    def further_members(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        """Return further members of the answer, which may depend on whether the text is masked."""
        return {}

    def _requested_msg_id(self) -> int | None:
        if "msg_id" not in self.values:
            return None
        try:
            return parse_id(self.values["msg_id"], Parameter("msg_id"))
        except InvalidValue as error:
            raise bad_field("msg_id", error.code, str(error)) from None


class RequestView(_RowView):
    rows, kind = REQUESTS, "request"
    serializer = RequestSerializer

    @extend_schema(
        operation_id="requests_retrieve",
        parameters=[_MSG_ID],
        responses=describe_answers(200, RequestDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, req_id: str) -> HttpResponseBase:
        """
        Return one request with its text and complete address. Values and credentials are masked without
        `view_payload`.

        In a session they are masked until the user gives a reason at `/reveal/`.
        """
        return self.answer_row(request, req_id)

    def further_members(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        return {"uri": row.uri} if isinstance(row, RequestColumns) and not masked else {}


class ResponseView(_RowView):
    rows, kind = RESPONSES, "response"
    serializer = ResponseSerializer

    @extend_schema(
        operation_id="responses_retrieve",
        parameters=[_MSG_ID],
        responses=describe_answers(200, ResponseDetailSerializer, READING_ONE),
    )
    def get(self, request: Request, res_id: str) -> HttpResponseBase:
        """
        Return one response with its text. Values are masked without `view_payload`.

        In a session they are masked until the user gives a reason at `/reveal/`.
        """
        return self.answer_row(request, res_id)

    def further_members(self, row: ListRow, *, masked: bool) -> Mapping[str, object]:
        return {"failed_reason": row.failed_reason} if isinstance(row, ResponseColumns) else {}
