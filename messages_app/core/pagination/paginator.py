"""
The keyset paginator of pages and API: pages, cursors and their parameters.

It needs no count, a page costs the same at any depth, and rows with equal values are neither repeated nor
left out. keyset.py finds the rows.

Source: docs/contributing/spec/design.md, R-9, "Paging".
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Generic, Protocol, TypedDict, cast
from urllib.parse import urlencode

from django.core import signing
from django.db.models import DateTimeField, Model, QuerySet
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.core.pagination.incremental_scan import PATIENCE, read_with_patience
from messages_app.core.pagination.keyset import Branch, M, Order, Position
from messages_app.core.parameters import whole_number
from messages_app.core.problems import bad_field
from messages_app.shared.far_times import parse_time

__all__ = [
    "PARAMETERS",
    "Branch",
    "Order",
    "Page",
    "fetch_page",
    "page_answer",
    "page_links",
    "parse_page",
    "parse_paging",
]

# The parameters of a list with a fixed order, and of any list.
PAGING = frozenset({"cursor", "page_size"})
PARAMETERS = PAGING | {"ordering"}
DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 500


@dataclass(frozen=True)
class _Cursor:
    """The start of a page: after or before the row with these values; None: at an end of the list."""

    backwards: bool = False
    position: Position = None


@dataclass(frozen=True, kw_only=True)
class Page(Generic[M]):
    """
    One page of a list.

    Args:
        rows: model instances, in the order of the list.
        next_cursor, previous_cursor: the cursors of the neighbouring pages; None at an end of the list.
        newer_cursor: the cursor of the page before the first row, even if no such rows exist yet.
        looked_until: (sort column, key) up to which the list was scanned, if the page is not full and the
            list has not ended (incremental_scan.py); otherwise None.
    """

    rows: list[M]
    next_cursor: str | None
    previous_cursor: str | None
    newer_cursor: str = ""
    looked_until: Position = None


class PageWithCursors(Protocol):
    """A page of any list, with the cursors of the neighbouring pages."""

    @property
    def next_cursor(self) -> str | None: ...

    @property
    def previous_cursor(self) -> str | None: ...


class PageParams(TypedDict):
    """The cursor and the size of a page, for a list whose order does not come from the address."""

    cursor: str | None
    page_size: int


class Paging(PageParams):
    """The paging parameters of a query string."""

    ordering: str | None


def parse_ordering(name: str | None, orders: Sequence[Order]) -> Order:
    """
    Return the order with this name, or without a name the first order.

    Raises:
        Problem: 400, the list has no such order.
    """
    if name is None:
        return orders[0]
    for order in orders:
        if order.name == name:
            return order
    offered = ", ".join(order.name for order in orders)
    raise bad_field("ordering", "invalid_value", f"ordering must be one of {offered}.")


def parse_page_size(text: str | None) -> int:
    """
    Parse the number of rows on a page.

    Raises:
        Problem: 400, the text is not a number from 1 to 500.
    """
    if text is None:
        return DEFAULT_PAGE_SIZE
    return whole_number("page_size", text, least=1, most=MAX_PAGE_SIZE)


def parse_page(params: Mapping[str, str]) -> PageParams:
    """Return the cursor and the size of a page, like parse_paging."""
    return {"cursor": params.get("cursor"), "page_size": parse_page_size(params.get("page_size"))}


def parse_paging(params: Mapping[str, str]) -> Paging:
    """
    Parse the paging parameters of a query string. The result is used as keyword arguments of a list's query.

    Raises:
        Problem: 400, the page size is invalid.
    """
    return {"ordering": params.get("ordering"), **parse_page(params)}


def fetch_page(
    branches: QuerySet[M] | Sequence[Branch[M]],
    *,
    order: Order,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    scope: str = "",
    patience: float = PATIENCE,
) -> Page[M]:
    """
    Return one page of a list.

    Args:
        branches: the rows; or branches of one model without common rows, which are merged. Then each branch
            uses its own index and stops after one page, for example for a filter by several states.
        order: see `parse_ordering`.
        cursor: a cursor from a page of the same list; None: the first page.
        page_size: the number of rows on a page.
        scope: the filter of the list. A cursor of another scope is refused.
        patience: the seconds to scan for rows that no index finds.

    Raises:
        Problem: 400, the cursor was not created for this list, order and scope.
    """
    branches = [Branch(rows=branches)] if isinstance(branches, QuerySet) else branches
    seal = _Seal(branches[0].rows.model, order, scope)
    start = seal.open(cursor)
    descending = order.descending != start.backwards
    scan = read_with_patience(
        branches,
        order,
        start=start.position,
        descending=descending,
        limit=page_size + 1,
        patience=patience,
    )
    more = len(scan.rows) > page_size or scan.looked_until is not None
    rows = scan.rows[:page_size]
    if start.backwards:
        rows.reverse()
    came_from_somewhere = start.position is not None
    has_next = came_from_somewhere if start.backwards else more
    has_previous = more if start.backwards else came_from_somewhere
    ends = {
        backwards: seal.close(
            _cursor_of_neighbour(rows, order, start, scan.looked_until, backwards=backwards)
        )
        for backwards in (False, True)
    }
    return Page(
        rows=rows,
        next_cursor=ends[False] if has_next else None,
        previous_cursor=ends[True] if has_previous else None,
        newer_cursor=ends[True],
        looked_until=scan.looked_until,
    )


def _cursor_of_neighbour(
    rows: list[M], order: Order, start: _Cursor, looked_until: Position, *, backwards: bool
) -> _Cursor:
    """
    Return the start of the next or previous page.

    If the page is not full, this is after the last row that was checked. Otherwise, from an empty page, it is
    the other end of the list.
    """
    if looked_until is not None and (backwards == start.backwards or not rows):
        return _Cursor(backwards=backwards, position=looked_until)
    if not rows:
        return _Cursor(backwards=backwards)
    return _Cursor(backwards=backwards, position=order.position_of(rows[0] if backwards else rows[-1]))


class _Seal:
    """Creates the cursors of one list, order and scope, and accepts only these."""

    def __init__(self, model: type[Model], order: Order, scope: str) -> None:
        self._fields = (_column_of_model(model, order.column), _column_of_model(model, order.key))
        self._salt = f"cursor:{model._meta.label}:{order.name}:{scope}"

    def close(self, cursor: _Cursor) -> str:
        position = cursor.position and [
            self._text_of_value(*pair) for pair in zip(self._fields, cursor.position, strict=True)
        ]
        return signing.dumps([cursor.backwards, position], salt=self._salt)

    def open(self, text: str | None) -> _Cursor:
        if text is None:
            return _Cursor()
        try:
            backwards, position = signing.loads(text, salt=self._salt)
        except (signing.BadSignature, ValueError):
            raise bad_field("cursor", "invalid_value", "This cursor is not valid for this list.") from None
        values = position and tuple(
            None if value is None else _read_value(field, value)
            for field, value in zip(self._fields, position, strict=True)
        )
        return _Cursor(backwards=backwards, position=values)

    @staticmethod
    def _text_of_value(field: "_Column", value: object) -> str | None:
        return None if value is None else field.value_to_string(_hold_value(field.attname, value))


def _read_value(field: "_Column", text: str) -> object:
    return parse_time(text) if isinstance(field, DateTimeField) else field.to_python(text)


class _Column(Protocol):
    """
    The type of a model field that is a column, with the methods that write and read its value in a cursor.
    """

    attname: str

    def to_python(self, value: object, /) -> object: ...

    def value_to_string(self, obj: Model, /) -> str: ...


def _column_of_model(model: type[Model], name: str) -> _Column:
    # Lists are sorted only by columns of their own table, and all other fields have the methods.
    return cast(_Column, model._meta.get_field(name))


def _hold_value(name: str, value: object) -> Model:
    """Return an object with one attribute, the only one that a field's `value_to_string` reads."""
    return cast(Model, SimpleNamespace(**{name: value}))


def page_links(request: HttpRequest, page: PageWithCursors) -> Mapping[str, str | None]:
    """
    Return {"next", "previous"}: the addresses of the neighbouring pages, with all other parameters unchanged.
    """
    return {
        "next": _address_of_page(request, page.next_cursor),
        "previous": _address_of_page(request, page.previous_cursor),
    }


def page_answer(request: Request, page: PageWithCursors, rows: Iterable[object]) -> Response:
    """Answer a call of the API with a page: the addresses of the neighbouring pages, and the rows."""
    return Response({**page_links(request._request, page), "results": rows})


def _address_of_page(request: HttpRequest, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    pairs = [(name, value) for name, values in request.GET.lists() for value in values if name != "cursor"]
    if fields := getattr(request, "chosen_fields", None):  # core/chosen_fields.py
        pairs.append(("fields", fields))
    return request.build_absolute_uri(f"{request.path}?{urlencode([*pairs, ('cursor', cursor)])}")
