"""
The changelist of a table: Django's, with the filters and the keyset pages of the console's lists.

Django's own counts all rows, and reads all pages before the requested one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages as notices
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone

from messages_app.core.filters import address
from messages_app.core.filters.address import AT
from messages_app.core.filters.table import Values, parse_filters, read_filters, write_values
from messages_app.core.pagination.keyset import Position
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import text_of
from messages_app.core.problems import Problem
from messages_app.core.table_admin.source import PATIENCE, ListedTable

CURSOR = "cursor"
# Parameters that only belong to one page of a list.
PAGE_PARAMETERS = (CURSOR, AT)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """The filters of a changelist: texts as the address has them, and the same parsed."""

    params: Mapping[str, str]
    values: Values


@dataclass(frozen=True, kw_only=True)
class Selection:
    """
    The rows of a changelist.

    Args:
        filters: the filters, including the one that a search text meant.
        page: the rows.
        is_by_key: the search text is the key of the only row.
    """

    filters: Filters
    page: Page[Any]
    is_by_key: bool = False


class KeysetChangeList(ChangeList):
    """
    The changelist of a table.

    Attributes:
        next_link, previous_link: query strings of the neighbouring pages, or None.
        looked_until: the position that the search reached; None if the page is full or the list has ended.
        selection: the rows with their filters.
    """

    selection: Selection
    next_link: str | None
    previous_link: str | None
    looked_until: Position

    @property
    def table(self) -> ListedTable:
        return cast(ListedTable, self.model_admin)

    @property
    def kept_params(self) -> list[tuple[str, str]]:
        """The filters and the order, as hidden fields of the search."""
        return [
            (name, text) for name, text in self.params.items() if name not in (SEARCH_VAR, *PAGE_PARAMETERS)
        ]

    def get_filters_params(self, params: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
        texts: dict[str, list[str]] = super().get_filters_params(params)
        return {name: values for name, values in texts.items() if name not in PAGE_PARAMETERS}

    def get_query_string(
        self, new_params: Mapping[str, object] | None = None, remove: Iterable[str] | None = None
    ) -> str:
        """Return the query string of another list: its first page."""
        return super().get_query_string(dict(new_params or {}), [*(remove or ()), *PAGE_PARAMETERS])

    def get_queryset(
        self, request: HttpRequest, exclude_parameters: list[str | None] | None = None
    ) -> "QuerySet[Model]":
        """
        Read the filters of the address. `get_results` reads the rows, not a queryset.

        Raises:
            Problem: 400, a parameter is unknown or not valid.
        """
        self.now = address.moment_of(request.GET)
        self.filters = self._read_filters()
        self.filter_specs, self.has_filters, _, _, self.has_active_filters = self.get_filters(request)
        self.clear_all_filters_qs = self.get_query_string(remove=list(self.get_filters_params()))
        empty: QuerySet[Model] = self.root_queryset.none()
        return empty

    def get_results(self, request: HttpRequest) -> None:
        self.selection = self._select_rows(request)
        page = self.selection.page
        self.result_list = page.rows
        self.result_count = len(page.rows)
        self.full_result_count = None
        self.show_full_result_count = False
        self.show_admin_actions = bool(page.rows)
        self.can_show_all = self.multi_page = False
        self.looked_until = page.looked_until
        self.next_link = self._link_to_page(page.next_cursor)
        self.previous_link = self._link_to_page(page.previous_cursor)

    def url_for_result(self, result: Model) -> str:
        return self.table.url_of(result)

    def _read_filters(self) -> Filters:
        filters = self.table.source.filters
        filters_of_table = {name: filters[name] for name in self.table.filter_names}
        query = QueryDict(mutable=True)
        for name, texts in self.get_filters_params().items():
            query.setlist(name, texts)
        params = address.tidy_params(query, filters_of_table, now=timezone.now())
        values = read_filters(
            filters_of_table, address.with_exact_times(params, filters_of_table, now=self.now)
        )
        return Filters(params=_texts_of_parameters(params), values=values)

    def _select_rows(self, request: HttpRequest) -> Selection:
        """Return the rows of the address. Raises Problem: 400, the cursor is not valid."""
        text = self.query.strip()
        if text:
            return next(self._find_by_text(request, text), Selection(filters=self.filters, page=_no_rows()))
        return Selection(filters=self.filters, page=self._fetch_page(request, self.filters.values))

    def _find_by_text(self, request: HttpRequest, text: str) -> Iterator[Selection]:
        """Yield the rows of each meaning of a search text that has any."""
        row = self.table.get_object(request, text)
        if row is not None:
            page: Page[Any] = Page(rows=[row], next_cursor=None, previous_cursor=None)
            yield Selection(filters=self.filters, page=page, is_by_key=True)
        source = self.table.source
        for name in source.searched:
            meaning, errors = parse_filters({name: source.filters[name]}, _one_parameter(name, text))
            if errors or name in self.filters.values:
                continue
            values = {**self.filters.values, **meaning}
            page = self._fetch_page(request, values)
            if page.rows:
                params = {**self.filters.params, **dict(write_values(source.filters, meaning))}
                yield Selection(filters=Filters(params=params, values=values), page=page)

    def _fetch_page(self, request: HttpRequest, values: Values) -> Page[Any]:
        source = self.table.source
        try:
            return source.fetch(
                values={**values, **source.fixed},
                ordering=self._ordering_of_address(),
                cursor=request.GET.get(CURSOR),
                page_size=self.list_per_page,
                patience=PATIENCE,
            )
        except Problem as problem:
            # The list needs one more filter, which the page offers.
            if [error.code for error in problem.errors] != ["required"]:
                raise
            notices.warning(request, problem.errors[0].message)
            return _no_rows()

    def _ordering_of_address(self) -> str | None:
        """Return the order of the address; None: the natural one."""
        if "o" not in self.params:
            return None
        for column, direction in self.get_ordering_field_columns().items():
            name = self.list_display[column] if 0 <= column < len(self.list_display) else None
            if name in self.table.source.orders:
                return f"-{name}" if direction == "desc" else str(name)
        return None

    def _link_to_page(self, cursor: str | None) -> str | None:
        if cursor is None:
            return None
        at = {AT: self.now.isoformat().replace("+00:00", "Z")}
        # A search becomes the filter that it meant, because a cursor belongs to one filter.
        return self.get_query_string(
            {**self.selection.filters.params, SEARCH_VAR: None, CURSOR: cursor, **at}
        )


def _no_rows() -> Page[Any]:
    return Page(rows=[], next_cursor=None, previous_cursor=None)


def _texts_of_parameters(params: QueryDict) -> dict[str, str]:
    return {name: text_of(params, name) for name in params}


def _one_parameter(name: str, text: str) -> QueryDict:
    params = QueryDict(mutable=True)
    params[name] = text
    return params
