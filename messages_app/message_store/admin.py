"""Stored messages in Django's admin."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from messages_app.access import roles
from messages_app.core.filters.table import Values
from messages_app.core.formatting import EMPTY
from messages_app.core.markup import show_time
from messages_app.core.pagination.paginator import Page
from messages_app.core.table_admin.job_actions import JobActions, job_action
from messages_app.core.table_admin.links import link_to_content
from messages_app.core.table_admin.list_filters import choice_filter, recent_filter, value_filter
from messages_app.core.table_admin.model_admin import make_column
from messages_app.core.table_admin.related_rows import MAX_ROWS, RelatedRows
from messages_app.core.table_admin.source import ListSource
from messages_app.message_store import registration, selectors
from messages_app.message_store.models import MessageStore, TargetRecord
from messages_app.message_store.selectors import stored_identifier
from messages_app.message_store.selectors.messages import (
    MESSAGES,
    ListedMessage,
    listed_messages,
    message_page,
)
from messages_app.message_store.selectors.summary import count_by_system
from messages_app.message_store.services.records import plain_key
from messages_app.shared.job_states import JobKind
from messages_app.shared.store_states import NAMES, Status

_MAX_CHOICES = 20


def _fetch_page(*, values: Values, **paging: Any) -> Page:
    page = message_page(values=values, **paging)
    page.rows[:] = [_as_row(message) for message in listed_messages(page.rows)]
    return page


def _find_message(key: str) -> MessageStore | None:
    identifier = stored_identifier(key)
    message = selectors.message_of(identifier) if identifier else None
    return _as_row(message) if message else None


def _as_row(message: ListedMessage) -> MessageStore:
    """Return a message as a row of the admin, with `listed`. An orphan has no columns of its own."""
    row = message.store or MessageStore(message_identifier=message.line.message_identifier)
    row.listed = message  # type: ignore[attr-defined]  # only for the pages of the admin
    return row


def _show_status(row: Any) -> str:
    status = row.listed.status
    if status is None:
        orphan: str = row.listed.orphan
        return orphan
    return f"{status} {NAMES[Status(status)]}" if status in NAMES else str(status)


def _cells_of_record(row: TargetRecord) -> list[object]:
    return [row.entity, plain_key(row.record_key), show_time(row.valid_from), show_time(row.valid_to)]


def _list_statuses() -> list[tuple[str, str]]:
    return [(str(int(status)), f"{int(status)} {name}") for status, name in NAMES.items()]


def _list_names(column: str) -> list[tuple[str, str]]:
    """Return the first names of a column that the stored counts have."""
    names: Iterable[str] = (getattr(count, column) for count in count_by_system())
    return [(name, name) for name in sorted(set(filter(None, names)))[:_MAX_CHOICES]]


@admin.register(MessageStore)
class MessageStoreAdmin(JobActions):
    """Stored messages. The status and the attempts come from the tables next to the message."""

    right = registration.CAN_VIEW_STORE
    selected_as = "message_identifier"
    source = ListSource(
        filters=MESSAGES, fetch=_fetch_page, find=_find_message, orders=("message_timestamp",)
    )
    list_display = (
        *("message_identifier", "status", "source_system", "source_entity", "message_timestamp"),
        *("attempts", "next_attempt"),
    )
    fields = (
        *("message_identifier", "source_system", "source_entity", "message_timestamp", "effective_timestamp"),
        *("user_name", "refresh", "options_text", "data_link", "file_path"),
        *("status", "processed_at", "next_attempt", "error_message", "attempts"),
        *("held_since", "muted_since"),
    )
    list_filter = (
        choice_filter("status", "status", _list_statuses),
        recent_filter("message_timestamp_from", "created"),
        choice_filter("source_system", "source system", lambda: _list_names("source_system")),
        choice_filter("source_entity", "source entity", lambda: _list_names("source_entity")),
        value_filter("message_identifier", "message identifier"),
    )
    search_help_text = "Exact message identifier"
    actions = (job_action(JobKind.REPROCESS, "Reprocess…"),)

    status = make_column("status", _show_status)
    attempts = make_column("attempts", lambda row: row.listed.line.attempts)
    next_attempt = make_column(
        "next attempt timestamp", lambda row: show_time(row.listed.line.next_attempt_timestamp)
    )
    processed_at = make_column(
        "processed timestamp",
        lambda row: show_time(row.listed.process and row.listed.process.processed_timestamp),
    )
    error_message = make_column(
        "error message", lambda row: (row.listed.process and row.listed.process.error_message) or EMPTY
    )
    held_since = make_column("held since", lambda row: show_time(row.listed.line.claimed_at))
    muted_since = make_column("muted since", lambda row: show_time(row.listed.line.muted_at))
    # The beginning: they may be long.
    options_text = make_column("options", lambda row: selectors.options_of(row.pk) or EMPTY)
    data_link = make_column(
        "data",
        lambda row: link_to_content(reverse("store-data", args=[row.pk]), selectors.data_bytes(row.pk)),
    )

    def console_url(self, row: Any) -> str:
        return reverse("store-message", args=[row.pk])

    def related_tables(self, row: Any) -> Sequence[RelatedRows]:
        attempts = selectors.attempt_page(row.pk, page_size=MAX_ROWS)
        records, are_more = selectors.records_written(row.pk)
        page = self.console_url(row)
        return [
            RelatedRows(
                title="Attempts",
                headings=["Processed timestamp", "Status", "Error message"],
                lines=[
                    ("", [show_time(one.processed_timestamp), one.status, one.error_message or ""])
                    for one in attempts.rows
                ],
                more=page if attempts.next_cursor else "",
            ),
            RelatedRows(
                title="Records",
                headings=["Entity", "Record key", "Valid from", "Valid to"],
                lines=[("", _cells_of_record(one)) for one in records[:MAX_ROWS]],
                more=page if are_more or len(records) > MAX_ROWS else "",
            ),
        ]

    def has_reprocess_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perms([registration.CAN_REPROCESS, roles.CAN_VIEW_JOBS])
