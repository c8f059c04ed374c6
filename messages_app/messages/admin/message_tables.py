"""Messages in Django's admin, live and archived."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from django.contrib import admin
from django.db.models import Model
from django.db.models.options import Options
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.safestring import SafeString

from messages_app.access import roles
from messages_app.core.filters.table import Values
from messages_app.core.formatting import EMPTY
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import read_id
from messages_app.core.table_admin.job_actions import JobActions, job_action
from messages_app.core.table_admin.links import link_to_content, link_to_row
from messages_app.core.table_admin.list_filters import choice_filter, recent_filter, value_filter
from messages_app.core.table_admin.model_admin import TableAdmin, admin_of
from messages_app.core.table_admin.related_rows import MAX_ROWS, RelatedRows, related_rows, rows_with
from messages_app.core.table_admin.source import PATIENCE, ListSource
from messages_app.messages.admin.hub_table import HubTable
from messages_app.messages.attachment import Feature, refusal_of
from messages_app.messages.detail.selectors import SHOWN_CHARS, get_sized_message
from messages_app.messages.field_descriptions import Panel
from messages_app.messages.fields import CONTENT_COLUMNS, FIELDS, LONG_COLUMNS, MODEL_FIELDS
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    FILTERS,
    MSG_ID,
    MessageFilter,
    natural_order,
)
from messages_app.messages.filters.vocabulary import known_values
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ArchiveMessage, Message
from messages_app.messages.parquet_archive.reader import ColdRows, cold_rows
from messages_app.messages.selectors import message_page
from messages_app.messages.tables import ARCHIVE, LIVE, MessageNotFound, Tables
from messages_app.shared.job_states import JobKind
from messages_app.shared.message_states import MessageState

_MAX_CHOICES = 20
# The tables of the rows that belong to a message, by title.
_OF_MESSAGE: dict[str, Literal["call", "request", "response", "funnel"]] = {
    "External calls": "call",
    "Requests": "request",
    "Responses": "response",
    "Funnel values": "funnel",
}


def _fetch_page(*, values: Values, ordering: str | None, **paging: Any) -> Page:
    filters = MessageFilter(values)
    return message_page(filters=filters, ordering=ordering or natural_order(filters), **paging)


def _list_source(tables: Tables, **fixed: object) -> ListSource:
    """Return the list of messages, of the live table or of the archive."""
    model = tables["message"]

    def find_message(key: str) -> Model | None:
        msg_id = read_id(key)
        try:
            message = None if msg_id is None else get_sized_message(msg_id, places=[tables])
        except MessageNotFound:
            return None
        return message if isinstance(message, model) else None

    return ListSource(
        filters=FILTERS,
        fetch=_fetch_page,
        find=find_message,
        searched=("correlation_id",),
        orders=("msg_id", "receive_timestamp"),
        fixed=fixed,
    )


def _values_of(column: str) -> Callable[[], list[tuple[str, str]]]:
    """Return a function that lists the first values of a column, each found by one step in its index."""
    return lambda: [(value, value) for value in known_values(column, containing="", limit=_MAX_CHOICES)]


_STATES = choice_filter("state", "state", lambda: [(code, code) for code in MessageState])
_RECEIVED = recent_filter("receive_timestamp_from", "received")
_BY_VALUE = tuple(
    value_filter(name, FIELDS[name].label)
    for name in ("correlation_id", "process_id", "object_id", "parent_msg_id", "funnel_value")
)
# Columns that are shown in another form than their value.
_SHOWN_AS = {
    "state": "shown_state",
    "parent_msg_id": "parent_link",
    **{name: f"{name}_link" for name in CONTENT_COLUMNS},
    **{name: f"{name}_text" for name in LONG_COLUMNS},
}


def _make_fieldsets() -> list[tuple[str, dict[str, list[str]]]]:
    """Return all columns in the groups of the console's page, the contents in the last one."""
    groups = [(str(panel), [name for name in MODEL_FIELDS if FIELDS[name].panel is panel]) for panel in Panel]
    return [
        (title, {"fields": [_SHOWN_AS.get(name, name) for name in names]}) for title, names in groups if names
    ]


def _long_text(name: str) -> Callable[[Any, MessageColumns], str]:
    """Return the column of the page for a text of any length: its beginning, as on the console's page."""

    @admin.display(description=name.replace("_", " "))
    def show_text(self: TableAdmin, row: MessageColumns) -> str:
        return str(getattr(row, name) or EMPTY)[:SHOWN_CHARS]

    return show_text


def _content_link(name: str) -> Callable[[Any, MessageColumns], SafeString | str]:
    """Return the column of the page for a content: a link, because the content may be masked or large."""

    @admin.display(description=name)
    def show_link(self: TableAdmin, row: MessageColumns) -> SafeString | str:
        return link_to_content(reverse(f"message-{name}", args=[row.pk]), getattr(row, f"{name}_bytes"))

    return show_link


_RESTART = job_action(JobKind.RESTART, "Restart…")
_CANCEL = job_action(JobKind.CANCEL, "Cancel…")
_ARCHIVE = job_action(JobKind.ARCHIVE, "Archive…", needs_filter=False)
_EXPORT = job_action(JobKind.EXPORT, "Export…")
_RESTORE = job_action(JobKind.RESTORE, "Restore…", params={ARCHIVED: "true"})
_EXPORT_ARCHIVED = job_action(JobKind.EXPORT, "Export…", params={ARCHIVED: "true"})


class _MessageAdmin(HubTable, JobActions):
    """
    Messages of one table.

    Attributes:
        other: the table that may have the message instead.
    """

    selected_as = MSG_ID
    other: ClassVar[type[Model]]

    list_display = (
        *("msg_id", "shown_state", "receive_timestamp", "service_name", "operation_name"),
        *("source_system", "correlation_id", "failed_error_code", "failed_count", "parent_link"),
    )
    fieldsets: ClassVar[Any] = _make_fieldsets()
    search_help_text = "Exact message id or correlation id"

    payload_link, envelope_link = (_content_link(name) for name in CONTENT_COLUMNS)
    failed_desc_text, custom_data_text, business_error_text = (_long_text(name) for name in LONG_COLUMNS)

    @admin.display(description="parent")
    def parent_link(self, row: MessageColumns) -> SafeString | str:
        return link_to_row(self.model, row.parent_msg_id)

    def related_tables(self, row: MessageColumns) -> Sequence[RelatedRows]:
        cold = cold_rows(row)
        own = [self._related_rows(row, title, cold) for title in _OF_MESSAGE]
        return [self._related_children(row), *own]

    def _related_children(self, row: MessageColumns) -> RelatedRows:
        """Return the children, live and archived. The link to more leads to those of this table."""
        page = _fetch_page(
            values={"parent_msg_id": row.pk, ARCHIVED: ANYWHERE},
            ordering="msg_id",
            cursor=None,
            page_size=MAX_ROWS,
            patience=PATIENCE,
        )
        more = self.list_url(parent_msg_id=row.pk) if page.next_cursor else ""
        return related_rows(self, "Children", page.rows, without="parent_link", more=more)

    def url_of(self, row: Any) -> str:
        """Return the page of a row in the admin of its own table, because children may be in both."""
        # Only rows of a list have `archived`. A row that was found by its key is one of this table.
        is_archived = getattr(row, "archived", self.tables is ARCHIVE)
        table = ARCHIVE if is_archived else LIVE
        return admin_of(table["message"]).url_of_key(self.key_of(row))

    def _related_rows(self, row: MessageColumns, title: str, cold: ColdRows | None) -> RelatedRows:
        name = _OF_MESSAGE[title]
        table = admin_of(self.tables[name])
        if cold is None:
            return rows_with(table, title, without="message_link", msg_id=row.pk)
        rows = cold.rows_for_page(f"{name}s")
        return related_rows(table, title, rows, without="message_link", note=cold.trouble, has_pages=False)

    def has_export_permission(self, request: HttpRequest) -> bool:
        return self._may_make(request, roles.CAN_VIEW_MESSAGES)

    def has_restore_permission(self, request: HttpRequest) -> bool:
        return self._may_make(request, roles.CAN_ARCHIVE) and not refusal_of(Feature.ARCHIVE)

    has_archive_permission = has_restore_permission

    def has_restart_permission(self, request: HttpRequest) -> bool:
        return self._may_make(request, roles.CAN_RESTART) and not refusal_of(Feature.ACT)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return self._may_make(request, roles.CAN_CANCEL) and not refusal_of(Feature.ACT)

    def _may_make(self, request: HttpRequest, right: str) -> bool:
        return request.user.has_perms([right, roles.CAN_VIEW_JOBS])

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: "Options[Model]", object_id: str
    ) -> HttpResponseRedirect:
        """Redirect to the message if it was archived or restored."""
        other = admin_of(self.other)
        if other.get_object(request, object_id) is not None:
            return redirect(other.url_of_key(object_id))
        return super()._get_obj_does_not_exist_redirect(request, opts, object_id)  # type: ignore[misc]


@admin.register(Message)
class MessageAdmin(_MessageAdmin):
    other = ArchiveMessage
    source = _list_source(LIVE)
    list_filter = (
        _STATES,
        _RECEIVED,
        *(
            choice_filter(name, FIELDS[name].label.lower(), _values_of(name))
            for name in ("service_name", "source_system", "failed_error_code")
        ),
        *_BY_VALUE,
    )
    actions = (_RESTART, _CANCEL, _ARCHIVE, _EXPORT)


@admin.register(ArchiveMessage)
class ArchiveMessageAdmin(_MessageAdmin):
    """Archived messages, those in Parquet files included."""

    other = Message
    tables = ARCHIVE
    source = _list_source(ARCHIVE, **{ARCHIVED: True})
    list_filter = (_STATES, _RECEIVED, value_filter("failed_error_code", "error code"), *_BY_VALUE)
    actions = (_RESTORE, _EXPORT_ARCHIVED)
