"""
The API of external calls, requests and responses: their lists, and one request or response with its text.

Source: docs/contributing/spec/interfaces.md, "Messages", "Further calls".
"""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.access.reads import Listing, Read
from messages_app.audit import services as audit
from messages_app.audit.services import Actor
from messages_app.core.filters.table import Values
from messages_app.core.filters.values import InvalidValue, Parameter, parse_id
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import MAX_ID, MIN_ID, read_id
from messages_app.core.problems import bad_field, not_found, quote_value
from messages_app.core.serializers import RowSerializer
from messages_app.messages import models
from messages_app.messages.api_fields import external_call_state
from messages_app.messages.hub_columns import RequestColumns, ResponseColumns
from messages_app.messages.traffic.row_lists import (
    EXTERNAL_CALLS,
    REQUESTS,
    RESPONSES,
    RowList,
    has_credentials,
    leave_out_default,
)
from messages_app.messages.traffic.selectors import get_row, row_page
from messages_app.payloads.api import ContentSerializer, content_answer
from messages_app.payloads.loader import visible_content

_ADDRESS = "Credentials are always masked: user information and parameter values."


_SIZE = "Size of the text in UTF-8 bytes; null if nothing is stored."


_CONTENT = ("content", "content_type", "bytes", "masked")


class ExternalCallSerializer(RowSerializer):
    state = external_call_state(read_only=True)
    operation_name = serializers.CharField(source="shown_operation", help_text=_ADDRESS)
    archived = serializers.BooleanField()

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


class RequestSerializer(RowSerializer):
    uri = serializers.CharField(source="shown_uri", help_text=_ADDRESS)
    req_envelope_bytes = serializers.IntegerField(help_text=_SIZE)
    archived = serializers.BooleanField()

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


class ResponseSerializer(RowSerializer):
    res_envelope_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)
    failed_reason_bytes = serializers.IntegerField(allow_null=True, help_text=_SIZE)
    archived = serializers.BooleanField()

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


class RequestDetailSerializer(RequestSerializer, ContentSerializer):
    class Meta(RequestSerializer.Meta):
        fields = (*RequestSerializer.Meta.fields, *_CONTENT)


class ResponseDetailSerializer(ResponseSerializer, ContentSerializer):
    failed_reason = serializers.CharField(allow_null=True)

    class Meta(ResponseSerializer.Meta):
        fields = (*ResponseSerializer.Meta.fields, "failed_reason", *_CONTENT)


_NO_INDEX = (
    "A page may have fewer rows than requested, or no rows, and still have a `next`: without an index for "
    "the filter, each request searches only part of the rows."
)


_CREDENTIALS = (
    "Credentials in addresses are masked. A filter by an address with credentials requires `view_payload` "
    "or the scope `payload:read`; otherwise the answer is 403."
)


def list_rows(rows: RowList, *, values: Values, user: Caller, **paging: Any) -> Page:
    if has_credentials(values) and not user.has_perm(roles.CAN_VIEW_PAYLOAD):
        raise PermissionDenied
    return row_page(rows, leave_out_default(values), **paging)


_MSG_ID = OpenApiParameter(
    "msg_id",
    {"type": "integer", "minimum": MIN_ID, "maximum": MAX_ID},
    description="The id of its message. Required to find it in a Parquet file of the archive.",
)


def read_row(
    rows: RowList,
    kind: str,
    serializer: type[serializers.BaseSerializer],
    *,
    values: Mapping[str, str],
    user: Caller,
    actor: Actor,
    chosen_fields: Collection[str] | None,
    **address: str,
) -> HttpResponseBase:
    """Return one row of a list with its text, which is masked like a payload."""
    (text,) = address.values()
    key = read_id(text)
    one_row = None if key is None else get_row(rows, key, msg_id=_parse_msg_id(values))
    if one_row is None:
        raise not_found(f"No {kind} has the id {quote_value(text)}.")
    masked = not user.has_perm(roles.CAN_VIEW_PAYLOAD)
    row, opened = one_row.row, visible_content(one_row.beginning, one_row.source, masked=masked)
    if not opened.view.masked and opened.view.content is not None:
        audit.record_entry(actor=actor, action=f"view_{kind}", msg_id=row.msg_id)
    members = serializer(row).data
    if isinstance(row, RequestColumns) and not masked:
        members |= {"uri": row.uri}
    if isinstance(row, ResponseColumns):
        members |= {"failed_reason": row.failed_reason}
    return content_answer(opened, before=members, only=chosen_fields)


def _parse_msg_id(values: Mapping[str, str]) -> int | None:
    if "msg_id" not in values:
        return None
    try:
        return parse_id(values["msg_id"], Parameter("msg_id"))
    except InvalidValue as error:
        raise bad_field("msg_id", error.code, str(error)) from None


def _declare_list(
    path: str, rows: RowList, serializer: type[serializers.BaseSerializer], **others: Any
) -> Listing:
    return Listing(
        path,
        partial(list_rows, rows),
        right=roles.CAN_VIEW_MESSAGES,
        answer=serializer,
        filters=rows.filters,
        orders=rows.orders,
        **others,
    )


_read = partial(Read, right=roles.CAN_VIEW_MESSAGES, parameters=[_MSG_ID], query=frozenset({"msg_id"}))
_IN_A_SESSION = "In a session they are masked until the user gives a reason at `/reveal/`."

CALLS = [
    _declare_list(
        "external-calls/",
        EXTERNAL_CALLS,
        ExternalCallSerializer,
        name="External Call List",
        operation_id="external_calls_list",
        description=f"List external calls, newest first. {_CREDENTIALS} {_NO_INDEX}",
    ),
    _declare_list(
        "requests/",
        REQUESTS,
        RequestSerializer,
        name="Request List",
        operation_id="requests_list",
        description=f"List requests, newest first, without their texts. {_CREDENTIALS} {_NO_INDEX}",
    ),
    _read(
        "requests/<str:req_id>/",
        partial(read_row, REQUESTS, "request", RequestSerializer),
        name="Request",
        answer=RequestDetailSerializer,
        operation_id="requests_retrieve",
        description=(
            "Return one request with its text and complete address. Values and credentials are masked without"
            f" `view_payload`.\n\n{_IN_A_SESSION}"
        ),
    ),
    _declare_list(
        "responses/",
        RESPONSES,
        ResponseSerializer,
        name="Response List",
        operation_id="responses_list",
        description=(
            "List responses, newest first, without their texts. `msg_id` selects the responses to the "
            f"message's requests, and its responses without a request. {_NO_INDEX}"
        ),
    ),
    _read(
        "responses/<str:res_id>/",
        partial(read_row, RESPONSES, "response", ResponseSerializer),
        name="Response",
        answer=ResponseDetailSerializer,
        operation_id="responses_retrieve",
        description=(
            f"Return one response with its text. Values are masked without `view_payload`.\n\n{_IN_A_SESSION}"
        ),
    ),
]
