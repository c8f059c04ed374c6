"""The list of a store that a page of the admin shows: its filters, its query, and the meaning of a search."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import Model
from django.http import HttpRequest

from messages_app.core.filters.table import Table, Values
from messages_app.core.pagination.paginator import Page

# One request searches for this long if no index finds a page, and the page then has a link to continue.
PATIENCE = 0.05


class FetchRows(Protocol):
    """
    Return one page of rows.

    Args:
        values: of the list's filters.
        ordering: the name of an order; None: the order in which an index finds these rows.
        cursor: of another page of the same list.
        patience: the seconds to search for rows that no index finds.

    Raises:
        Problem: 400, the cursor or the order is not valid for this list.
    """

    def __call__(
        self, *, values: Values, ordering: str | None, cursor: str | None, page_size: int, patience: float
    ) -> Page[Any]: ...


@dataclass(frozen=True, kw_only=True)
class ListSource:
    """
    The list behind a changelist.

    Args:
        filters: the filters of the store's list. The admin accepts only the ones in `list_filter`.
        fetch: the query of the list.
        find: returns the row with this key, with everything that its page shows, or None.
        searched: the filters that an exact search text may mean, most likely first, after the key.
        orders: the names of the columns by which the list can be sorted.
        fixed: values of filters that every list of this table has.
    """

    filters: Table
    fetch: FetchRows
    find: Callable[[str], Model | None]
    searched: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    fixed: Mapping[str, object] = field(default_factory=dict)


class ListedTable(Protocol):
    """The admin of a table (model_admin.py), as far as its lists need it."""

    model: type[Model]
    opts: Any
    list_display: Any

    @property
    def source(self) -> ListSource:
        """The list."""

    @property
    def filter_names(self) -> frozenset[str]:
        """The names of the filters that the list accepts."""

    def get_object(self, request: HttpRequest, object_id: str) -> Model | None:
        """Return the row with this key."""

    def url_of(self, row: Model) -> str:
        """Return the address of a row."""

    def list_url(self, **params: object) -> str:
        """Return the address of the list with these filters."""
