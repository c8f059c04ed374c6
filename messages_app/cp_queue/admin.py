"""CP messages in Django's admin."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.urls import reverse

from messages_app.core.filters.table import Values
from messages_app.core.markup import show_time
from messages_app.core.pagination.paginator import Page
from messages_app.core.table_admin.list_filters import choice_filter, recent_filter, value_filter
from messages_app.core.table_admin.model_admin import TableAdmin, make_column
from messages_app.core.table_admin.related_rows import RelatedRows
from messages_app.core.table_admin.source import ListSource
from messages_app.cp_queue import registration, selectors
from messages_app.cp_queue.guids import spellings_of_guid
from messages_app.cp_queue.models import CpMessage
from messages_app.cp_queue.parameters import InvalidParameter
from messages_app.cp_queue.selectors.log import MESSAGES
from messages_app.cp_queue.selectors.messages import describe_messages, message_page
from messages_app.cp_queue.selectors.pickup_forecast import dispatches_of
from messages_app.cp_queue.states import STATES, State

_MAX_CHOICES = 20


def _fetch_page(*, values: Values, **paging: Any) -> Page:
    page = message_page(values=values, **paging)
    _describe_rows(page.rows)
    return page


def _find_message(key: str) -> CpMessage | None:
    """Return a message by its GUID, in the given spelling or in another one."""
    try:
        possible = spellings_of_guid(key)
    except InvalidParameter:
        return None
    rows = CpMessage.objects.in_bulk(possible)
    row = next((rows[guid] for guid in possible if guid in rows), None)
    _describe_rows([row] if row else [])
    return row


def _describe_rows(rows: Sequence[CpMessage]) -> None:
    """Give each row `described`: its state and its columns of the side tables."""
    for row, described in zip(rows, describe_messages(rows), strict=True):
        row.described = described  # type: ignore[attr-defined]  # only for the pages of the admin


def _list_queues() -> list[tuple[str, str]]:
    return [(name, name) for name in selectors.queue_names(most=_MAX_CHOICES)[:_MAX_CHOICES]]


@admin.register(CpMessage)
class CpMessageAdmin(TableAdmin):
    right = registration.CAN_VIEW_CP_QUEUE
    source = ListSource(
        filters=MESSAGES, fetch=_fetch_page, find=_find_message, searched=("osid",), orders=("created",)
    )
    list_display = ("messageguid", "state", "queuename", "osid", "ostype", "created", "lock_service")
    fields = (
        *("messageguid", "state", "queuename", "osid", "ostype", "created", "lock_service", "checkguid"),
        *("reserved_at", "attempts", "not_before"),
    )
    list_filter = (
        choice_filter("queuename", "queue", _list_queues),
        choice_filter("state", "state", lambda: [(state, STATES[state].text) for state in State]),
        recent_filter("created_from", "created"),
        value_filter("lock_service", "service"),
        value_filter("osid", "object"),
    )
    search_help_text = "Exact GUID or object id"

    state = make_column("state", lambda row: STATES[row.described.state].text)
    reserved_at = make_column("reserved at", lambda row: show_time(row.described.reserved_at))
    attempts = make_column("attempts", lambda row: row.described.attempts)
    not_before = make_column("not before", lambda row: show_time(row.described.not_before))

    def console_url(self, row: Any) -> str:
        return reverse("cp-message", args=[row.pk])

    def related_tables(self, row: Any) -> Sequence[RelatedRows]:
        return [
            RelatedRows(
                title="Dispatches",
                headings=["Dispatched", "Service", "Outcome", "Reason"],
                lines=[
                    ("", [show_time(one.at), one.service, one.outcome, one.reason])
                    for one in dispatches_of(row.pk)
                ],
            )
        ]
