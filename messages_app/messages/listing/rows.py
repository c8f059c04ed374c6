"""
The rows of the message list: their cells, by the name of the column, and the marks of children and funnels.

Cells are written here and not by a template: a page has 450 of them, and a template asks for each one which
column it is. list.js gives titles to texts that are too long for their column and to icons: they would
be a fifth of the page.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from messages_app.core.lists.table import Column, Table
from messages_app.core.markup import (
    draw_icon,
    format_html,
    full_time,
    join_markup,
    remove_code,
    show_age,
    show_age_in_row,
    show_state,
)
from messages_app.messages.filters.message_filter import CONTENT, MessageFilter
from messages_app.messages.hub_columns import FunnelColumns, MessageColumns
from messages_app.messages.models import ArchiveFunnel, ArchiveMessage, Funnel, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.payloads.text_markup import attribute_value, cut_id
from messages_app.shared.error_titles import title_of


@dataclass(frozen=True, kw_only=True)
class Links:
    """
    The addresses that the rows of one page lead to.

    Args:
        messages: the address of the list, without a filter.
        back: the query string of the list, which the page of a message keeps; may be empty.
        opens_payload: whether the page of a message opens its payload, which has the text of the search.
        funnel_value: the only one of the list, to which no row needs to lead.
    """

    messages: str
    back: str
    opens_payload: bool = False
    funnel_value: str | None = None

    def message_address(self, msg_id: int) -> str:
        return f"{self.messages}{msg_id}/"

    def message_of_list(self, msg_id: int) -> str:
        """Return the address of a message of the list, which leads back to the list."""
        opened = f"#{reverse('message-payload', args=[msg_id])}" if self.opens_payload else ""
        return f"{self.message_address(msg_id)}{self.back}{opened}"

    def list_with(self, row: MessageColumns, **filters: object) -> str:
        """Return the address of the messages that have these values, where the row itself is."""
        archived = {"archived": "true"} if row.archived else {}
        return f"{self.messages}?{urlencode(filters | archived)}"


def links_of(back: str, filters: MessageFilter) -> Links:
    return Links(
        messages=reverse("message-list"),
        back=back,
        opens_payload=CONTENT in filters.values,
        funnel_value=filters.funnel_value,
    )


def draw_rows(rows: Sequence[MessageColumns], table: Table, links: Links) -> SafeString:
    """Mark the rows of a page, and return the rows of the table's body."""
    mark_rows(rows)
    return join_markup(_show_row(row, table, links) for row in rows)


def _show_row(row: MessageColumns, table: Table, links: Links) -> SafeString:
    cells = join_markup(_show_cell(row, column, table, links) for column in table.columns)
    return format_html('<tr data-row="{}">{}{}</tr>', row.state, _select_cell(row), cells)


def _show_cell(row: MessageColumns, column: Column, table: Table, links: Links) -> SafeString:
    if column.name == "age":
        since = row.last_process_timestamp or row.receive_timestamp
        return column.show_cell(show_age(since).removesuffix(" ago"), hint=full_time(since))
    if write_content := _CONTENTS.get(column.name):
        return column.show_cell(write_content(row, table, links))
    return column.show_cell(attribute_value(row, column.attribute))


def _select_cell(row: MessageColumns) -> SafeString:
    return format_html(
        '<td class="c-rows-select"><input type="checkbox" name="msg_id" value="{0}" form="selection"'
        ' aria-label="Select message {0}"{1}></td>',
        row.msg_id,
        " data-row-archived" if row.archived else "",
    )


def _state_cell(row: MessageColumns, table: Table, links: Links) -> object:
    archived = mark_safe('<div class="u-second">archived</div>') if row.archived else ""
    return join_markup([show_state(row.state), archived])


def _received_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return show_age_in_row(row.receive_timestamp)


def _service_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return format_html(
        '<div>{}</div><div class="u-second">{}</div>',
        row.service_name,
        row.operation_name,
    )


def _source_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return row.source_system


def _key_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return format_html(
        '<a class="c-rows-link" href="{}">{}</a><div class="u-second">{}{}</div>',
        links.message_of_list(row.msg_id),
        cut_id(row.correlation_id) if row.correlation_id else row.correlation_id,
        row.msg_id,
        f" · {row.object_id}" if row.object_id else "",
    )


def _error_cell(row: MessageColumns, table: Table, links: Links) -> object:
    if not (row.failed_error_code or row.failed_summary):
        return ""
    code, text = row.failed_error_code, remove_code(row.failed_summary, row.failed_error_code)
    title = title_of(row.failed_summary) or text or code or ""
    details = (detail for detail in (code, text) if detail and detail.lower() != title.lower())
    return format_html('<div>{}</div><div class="u-second">{}</div>', title, " ".join(details))


def _tries_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return row.failed_count or ""


def _funnel_cell(row: MessageColumns, table: Table, links: Links) -> object:
    if not row.funnel_values or row.funnel_values == [links.funnel_value]:
        return ""
    return format_html(
        '<a href="{}" aria-label="Messages in funnel {}">{}</a>',
        links.list_with(row, funnel_value=row.funnel_values[0]),
        ", ".join(row.funnel_values),
        draw_icon("funnel"),
    )


def _family_cell(row: MessageColumns, table: Table, links: Links) -> object:
    parent = children = SafeString("")
    if row.parent_msg_id is not None:
        binding = row.parent_binding_type
        parent = format_html(
            '<a href="{}" aria-label="Child of {}{}">{}</a>',
            links.message_address(row.parent_msg_id),
            row.parent_msg_id,
            f", {binding}" if binding else "",
            draw_icon("child"),
        )
    if row.is_parent:
        children = format_html(
            '<a href="{}" aria-label="Children of {}">{}</a>',
            links.list_with(row, parent_msg_id=row.msg_id),
            row.msg_id,
            draw_icon("family"),
        )
    return join_markup([parent, children])


def _id_cell(row: MessageColumns, table: Table, links: Links) -> object:
    return format_html(
        '<a href="{}"{}>{}</a>',
        links.message_of_list(row.msg_id),
        "" if "key" in table.names else mark_safe(' class="c-rows-link"'),
        row.msg_id,
    )


def _funnel_value(row: MessageColumns, table: Table, links: Links) -> object:
    if not row.funnel_values:
        return ""
    return format_html(
        '<a class="u-clip" href="{}">{}</a>',
        links.list_with(row, funnel_value=row.funnel_values[0]),
        ", ".join(row.funnel_values),
    )


def _parent_cell(row: MessageColumns, table: Table, links: Links) -> object:
    if row.parent_msg_id is None:
        return ""
    return format_html('<a href="{}">{}</a>', links.message_address(row.parent_msg_id), row.parent_msg_id)


# By the name of the column. Other columns show one attribute as it is.
_CONTENTS: dict[str, Callable[[MessageColumns, Table, Links], object]] = {
    "state": _state_cell,
    "received": _received_cell,
    "service": _service_cell,
    "source": _source_cell,
    "key": _key_cell,
    "error": _error_cell,
    "tries": _tries_cell,
    "funnel": _funnel_cell,
    "family": _family_cell,
    "id": _id_cell,
    "funnel_value": _funnel_value,
    "parent": _parent_cell,
}


# A message may have any number of funnel values; a page reads at most this many.
_MAX_VALUES = 500


@dataclass(frozen=True, kw_only=True)
class _Place:
    messages: type[MessageColumns]
    # None: the values are in a file.
    funnels: type[FunnelColumns] | None
    ids: Sequence[int]


def mark_rows(rows: Sequence[MessageColumns]) -> None:
    """
    Give each row of a page `is_parent` and `funnel_values`.

    Source of the values: docs/contributing/spec/cleverbus.md, "Table funnel".
    """
    parents: set[int] = set()
    values: dict[int, list[str]] = {}
    for place in _rows_by_place(rows):
        parents |= _find_parents(place)
        values |= _funnel_values(place)
    for row in rows:
        row.is_parent = row.pk in parents
        row.funnel_values = values.get(row.pk) or ([row.funnel_value] if row.funnel_value else [])


def _rows_by_place(rows: Sequence[MessageColumns]) -> Iterator[_Place]:
    tables = (
        (False, Message, Funnel),
        (True, ArchiveMessage, ArchiveFunnel),
        (True, ColdMessage, None),
    )
    for archived, messages, funnels in tables:
        ids = [row.pk for row in rows if row.archived == archived]
        if ids:
            yield _Place(messages=messages, funnels=funnels, ids=ids)


def _find_parents(place: _Place) -> set[int]:
    children = place.messages._default_manager.filter(parent_msg_id=OuterRef("pk"))
    parents = place.messages._default_manager.filter(Exists(children), pk__in=place.ids)
    return set(parents.values_list("pk", flat=True))


def _funnel_values(place: _Place) -> dict[int, list[str]]:
    if place.funnels is None:
        return {}
    funnels = place.funnels._default_manager.filter(msg_id__in=place.ids).order_by("msg_id", "funnel_id")
    values = defaultdict(list)
    for msg_id, value in funnels.values_list("msg_id", "funnel_value")[:_MAX_VALUES]:
        values[msg_id].append(value)
    return values
