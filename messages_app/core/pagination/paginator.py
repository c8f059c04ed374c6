"""
The keyset paginator of pages and API: pages, cursors, and the parameters that name them.

No count is needed, a page costs the same at any depth, and rows with equal values are neither repeated nor
left out. How rows are found: keyset.py.

Source: docs/spec/design.md, R-9, "Paging".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Generic, Protocol, TypedDict, cast
from urllib.parse import urlencode

from django.core import signing
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from messages_app.core.pagination.incremental_scan import PATIENCE, look
from messages_app.core.pagination.keyset import Branch, M, Order, Position
from messages_app.core.problems import bad_field

__all__ = ["PARAMETERS", "Branch", "Order", "Page", "arguments", "fetch_page", "page_links"]

PARAMETERS = frozenset({"ordering", "cursor", "page_size"})
DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 500


@dataclass(frozen=True)
class _Cursor:
    """Where a page starts: after, or before, the row that has these values; at an end where they are None."""

    backwards: bool = False
    position: Position = None


@dataclass(frozen=True, kw_only=True)
class Page(Generic[M]):
    """
    One page of a list.

    Args:
        rows: model instances, in the list's order.
        next_cursor, previous_cursor: for the neighbouring pages, None at an end of the list.
        newer_cursor: leads before the first row, also where nothing stood there when the page was read.
        looked_until: (sort column, key) to which the rows were looked for, where neither the page is full nor
            the list at its end (walking.py); None otherwise.
    """

    rows: list[M]
    next_cursor: str | None
    previous_cursor: str | None
    newer_cursor: str = ""
    looked_until: Position = None


class Paging(TypedDict):
    """What a query string asks of a list next to its filters."""

    ordering: str | None
    cursor: str | None
    page_size: int


def parse_ordering(name: str | None, orders: Sequence[Order]) -> Order:
    """
    Return the order that has this name; without a name the first one.

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
    Return how many rows a page has.

    Raises:
        Problem: 400, not a number from 1 to 500.
    """
    if text is None:
        return DEFAULT_PAGE_SIZE
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MAX_PAGE_SIZE:
        return int(text)
    raise bad_field("page_size", "out_of_range", f"page_size must be a number from 1 to {MAX_PAGE_SIZE}.")


def arguments(params: Mapping[str, str]) -> Paging:
    """
    Return the paging that a query string asks for, as keyword arguments of a list's query.

    Raises:
        Problem: 400, the page size is not one.
    """
    return {
        "ordering": params.get("ordering"),
        "cursor": params.get("cursor"),
        "page_size": parse_page_size(params.get("page_size")),
    }


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
        branches: the rows; or branches of one model that share no row, which are merged. Each then uses
            the index that suits it and stops after one page (a filter of several states).
        order: see `parse_ordering`.
        cursor: from a page of this same list, or None for the first page.
        page_size: rows on a page.
        scope: what else makes the list what it is: its filter. A cursor of another scope is refused.
        patience: seconds to look for rows that no index finds.

    Raises:
        Problem: 400, the cursor is not one that was given out for this list, order and scope.
    """
    branches = [Branch(rows=branches)] if isinstance(branches, QuerySet) else branches
    seal = _Seal(branches[0].rows.model, order, scope)
    start = seal.open(cursor)
    descending = order.descending != start.backwards
    found = look(
        branches,
        order,
        start=start.position,
        descending=descending,
        limit=page_size + 1,
        patience=patience,
    )
    more = len(found.rows) > page_size or found.looked_until is not None
    rows = found.rows[:page_size]
    if start.backwards:
        rows.reverse()
    came_from_somewhere = start.position is not None
    has_next = came_from_somewhere if start.backwards else more
    has_previous = more if start.backwards else came_from_somewhere
    ends = {
        backwards: seal.close(_neighbour(rows, order, start, found.looked_until, backwards=backwards))
        for backwards in (False, True)
    }
    return Page(
        rows=rows,
        next_cursor=ends[False] if has_next else None,
        previous_cursor=ends[True] if has_previous else None,
        newer_cursor=ends[True],
        looked_until=found.looked_until,
    )


def _neighbour(
    rows: list[M], order: Order, start: _Cursor, looked_until: Position, *, backwards: bool
) -> _Cursor:
    """
    Return where the next or previous page starts.

    That is beyond the last row checked, where the page is not full; from an empty page, else, the list's
    other end.
    """
    if looked_until is not None and (backwards == start.backwards or not rows):
        return _Cursor(backwards=backwards, position=looked_until)
    if not rows:
        return _Cursor(backwards=backwards)
    return _Cursor(backwards=backwards, position=order.position(rows[0] if backwards else rows[-1]))


class _Seal:
    """Makes cursors of one list, order and scope, and opens only those."""

    def __init__(self, model: type[Model], order: Order, scope: str) -> None:
        self._fields = (_column(model, order.column), _column(model, order.key))
        self._salt = f"cursor:{model._meta.label}:{order.name}:{scope}"

    def close(self, cursor: _Cursor) -> str:
        position = cursor.position and [
            self._text(*pair) for pair in zip(self._fields, cursor.position, strict=True)
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
            None if value is None else field.to_python(value)
            for field, value in zip(self._fields, position, strict=True)
        )
        return _Cursor(backwards=backwards, position=values)

    @staticmethod
    def _text(field: "_Column", value: object) -> str | None:
        return None if value is None else field.value_to_string(_holder(field.attname, value))


class _Column(Protocol):
    """A field of a model that is a column, as a cursor writes and reads its value."""

    attname: str

    def to_python(self, value: object, /) -> object: ...

    def value_to_string(self, obj: Model, /) -> str: ...


def _column(model: type[Model], name: str) -> _Column:
    # Lists are sorted by columns of their own table alone, and no other kind of field is one.
    return cast(_Column, model._meta.get_field(name))


def _holder(name: str, value: object) -> Model:
    """Return an object with one attribute, which is all of a row that a field's `value_to_string` reads."""
    return cast(Model, SimpleNamespace(**{name: value}))


def page_links(request: HttpRequest, page: Page[M]) -> Mapping[str, str | None]:
    """Return {"next", "previous"}: the addresses of the neighbouring pages, with everything else as asked."""
    return {
        "next": _address(request, page.next_cursor),
        "previous": _address(request, page.previous_cursor),
    }


def _address(request: HttpRequest, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    pairs = [(name, value) for name, values in request.GET.lists() for value in values if name != "cursor"]
    return request.build_absolute_uri(f"{request.path}?{urlencode([*pairs, ('cursor', cursor)])}")
