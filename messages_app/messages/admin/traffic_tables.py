"""External calls, requests, responses and funnel values in Django's admin, live and archived."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.urls import reverse
from django.utils.safestring import SafeString

from messages_app.core.filters.table import Values
from messages_app.core.formatting import EMPTY
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import read_id
from messages_app.core.table_admin.links import link_to_content, link_to_row
from messages_app.core.table_admin.list_filters import choice_filter, recent_filter, value_filter
from messages_app.core.table_admin.model_admin import admin_of
from messages_app.core.table_admin.related_rows import RelatedRows, rows_with
from messages_app.core.table_admin.source import ListSource
from messages_app.messages.admin.hub_table import HubTable
from messages_app.messages.detail.selectors import SHOWN_CHARS
from messages_app.messages.hub_columns import ExternalCallColumns, RequestColumns, ResponseColumns
from messages_app.messages.models import (
    ArchiveExternalCall,
    ArchiveFunnel,
    ArchiveRequest,
    ArchiveResponse,
    ExternalCall,
    Funnel,
    Request,
    Response,
)
from messages_app.messages.tables import ARCHIVE
from messages_app.messages.traffic.row_lists import (
    ARCHIVED,
    EXTERNAL_CALLS,
    FUNNELS,
    REQUESTS,
    RESPONSES,
    RowList,
)
from messages_app.messages.traffic.selectors import row_page
from messages_app.payloads.loader import size_of
from messages_app.shared.message_states import ExternalCallState

_MESSAGE = value_filter("msg_id", "message")


_STATES = choice_filter("state", "state", lambda: [(code, code) for code in ExternalCallState])


def _list_source(rows: RowList, model: type[Model], *searched: str) -> ListSource:
    """Return a list of the API, of its live table or of its archive."""
    is_archive = model is rows.archive
    by_time = [order.column for order in rows.orders if order.column != order.key and not is_archive]

    def fetch_page(*, values: Values, ordering: str | None, **paging: Any) -> Page:
        ranges = [column for column in by_time if f"{column}_from" in values]
        natural = f"-{ranges[0]}" if ranges else None
        return row_page(rows, values, ordering=ordering or natural, **paging)

    def find_row(key: str) -> Model | None:
        number = read_id(key)
        sizes = {f"{name}_bytes": size_of(name) for name in rows.sized}
        # The first text is the content, which has a page of its own.
        row: Model | None = None
        if number is not None:
            row = model._default_manager.defer(*rows.sized[:1]).annotate(**sizes).filter(pk=number).first()
        return row

    return ListSource(
        filters=rows.filters,
        fetch=fetch_page,
        find=find_row,
        searched=searched,
        orders=tuple(dict.fromkeys([rows.orders[0].key, *by_time])),
        fixed={ARCHIVED: True} if is_archive else {},
    )


class _TrafficAdmin(HubTable):
    """A table whose rows belong to messages."""

    @admin.display(description="message")
    def message_link(self, row: Any) -> SafeString | str:
        return link_to_row(self.tables["message"], row.msg_id)


def _content_link(row: Any, kind: str, column: str) -> SafeString | str:
    # Rows of a file have their size under another name.
    stored_bytes: int | None = getattr(row, f"{column}_bytes", getattr(row, "content_bytes", None))
    address = "" if row.msg_id is None else reverse(f"message-{kind}", args=[row.msg_id, row.pk])
    return link_to_content(address, stored_bytes)


class _CallColumns(_TrafficAdmin):
    list_display = (
        "call_id",
        "shown_state",
        "message_link",
        "operation_text",
        "entity_id",
        "last_update_timestamp",
    )
    fields = (
        *("call_id", "message_link", "operation_text", "shown_state", "entity_id"),
        *("msg_timestamp", "creation_timestamp", "last_update_timestamp", "failed_count"),
    )
    search_help_text = "Exact call id or message id"

    @admin.display(description="operation name")
    def operation_text(self, row: ExternalCallColumns) -> str:
        return row.shown_operation


class _RequestColumns(_TrafficAdmin):
    list_display = ("req_id", "message_link", "address_text", "req_timestamp", "envelope_link")
    fields = ("req_id", "message_link", "res_join_id", "address_text", "req_timestamp", "envelope_link")
    search_help_text = "Exact request id or message id"

    @admin.display(description="uri")
    def address_text(self, row: RequestColumns) -> str:
        return row.shown_uri

    @admin.display(description="req envelope")
    def envelope_link(self, row: RequestColumns) -> SafeString | str:
        return _content_link(row, "request", "req_envelope")

    def related_tables(self, row: RequestColumns) -> Sequence[RelatedRows]:
        return [
            rows_with(admin_of(self.tables["response"]), "Responses", without="request_link", req_id=row.pk)
        ]


class _ResponseColumns(_TrafficAdmin):
    list_display = ("res_id", "request_link", "message_link", "res_timestamp", "failed", "envelope_link")
    fields = (
        "res_id",
        "request_link",
        "message_link",
        "res_timestamp",
        "failed",
        "reason_text",
        "envelope_link",
    )
    search_help_text = "Exact response id, request id or message id"

    @admin.display(description="request")
    def request_link(self, row: ResponseColumns) -> SafeString | str:
        return link_to_row(self.tables["request"], row.req_id)

    @admin.display(description="failed reason")
    def reason_text(self, row: ResponseColumns) -> str:
        return (row.failed_reason or EMPTY)[:SHOWN_CHARS]

    @admin.display(description="res envelope")
    def envelope_link(self, row: ResponseColumns) -> SafeString | str:
        return _content_link(row, "response", "res_envelope")


class _FunnelColumns(_TrafficAdmin):
    list_display = ("funnel_id", "message_link", "funnel_value")
    fields = ("funnel_id", "message_link", "funnel_value")
    search_help_text = "Exact funnel id, message id or value"
    list_filter = (_MESSAGE, value_filter("funnel_value", "funnel value"))


@admin.register(ExternalCall)
class ExternalCallAdmin(_CallColumns):
    source = _list_source(EXTERNAL_CALLS, ExternalCall, "msg_id")
    list_filter = (_STATES, _MESSAGE)


@admin.register(Request)
class RequestAdmin(_RequestColumns):
    source = _list_source(REQUESTS, Request, "msg_id")
    list_filter = (recent_filter("req_timestamp_from", "sent"), _MESSAGE)


@admin.register(Response)
class ResponseAdmin(_ResponseColumns):
    source = _list_source(RESPONSES, Response, "req_id", "msg_id")
    list_filter = (
        choice_filter("failed", "failed", lambda: [("true", "Yes")]),
        _MESSAGE,
        value_filter("req_id", "request"),
    )


@admin.register(Funnel)
class FunnelAdmin(_FunnelColumns):
    source = _list_source(FUNNELS, Funnel, "msg_id", "funnel_value")


@admin.register(ArchiveExternalCall)
class ArchiveExternalCallAdmin(_CallColumns):
    tables = ARCHIVE
    source = _list_source(EXTERNAL_CALLS, ArchiveExternalCall, "msg_id")
    list_filter = (_MESSAGE,)


@admin.register(ArchiveRequest)
class ArchiveRequestAdmin(_RequestColumns):
    tables = ARCHIVE
    source = _list_source(REQUESTS, ArchiveRequest, "msg_id")
    list_filter = (_MESSAGE,)


@admin.register(ArchiveResponse)
class ArchiveResponseAdmin(_ResponseColumns):
    tables = ARCHIVE
    source = _list_source(RESPONSES, ArchiveResponse, "req_id", "msg_id")
    list_filter = (_MESSAGE, value_filter("req_id", "request"))


@admin.register(ArchiveFunnel)
class ArchiveFunnelAdmin(_FunnelColumns):
    tables = ARCHIVE
    source = _list_source(FUNNELS, ArchiveFunnel, "msg_id", "funnel_value")
