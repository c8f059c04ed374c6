"""
The filter form of a list's page: its fields with their errors, and links that change one part of the filter.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict

from messages_app.core.badges import Badge
from messages_app.core.filters import moments
from messages_app.core.filters.address import AT, has_relative_times, query_of
from messages_app.core.filters.table import Table, end_times, names_of_times
from messages_app.core.pagination.keyset import M
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import text_of
from messages_app.core.problems import FieldError

_TIME_HINT = "-2h, today, a date"
_RECENT = (("15 min", "-15m"), ("1 h", "-1h"), ("24 h", "-24h"), ("7 d", "-7d"))
_PAGE = ("cursor", AT)
_OTHERS = ("ordering", "page_size")


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field. `hint` shows the format of a value; `error` is the error of this field, or empty."""

    name: str
    label: str
    value: str
    hint: str
    error: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """
    A link that changes one part of the filter and keeps the rest.

    Args:
        is_above: whether it is on, but leads to the section of an object whose page is shown.
    """

    text: str
    query: str
    is_on: bool = False
    is_above: bool = False
    title: str = ""


class ListForm:
    """
    The form for one address. Subclasses for each list declare its filters, and add further links.

    Attributes:
        filters: the list's table of filters.
        labels: the names of the filters on pages.
        field_names: the filters that have a field, in the order of the form.
        first_names: those whose fields are always shown; a menu has the others. Empty: all of them.
        linked_names: the filters that have links instead.
        hints: the formats of values, or what else is written into an empty field.

    Args:
        params: the normalised parameters of the address.
        allowed: the names of the filters that the user may use.
        errors: the errors of the parameters.
    """

    filters: Table
    labels: Mapping[str, str]
    field_names: Sequence[str]
    first_names: Sequence[str] = ()
    linked_names: Sequence[str] = ()
    hints: Mapping[str, str] = {}

    def __init__(
        self, params: QueryDict, *, allowed: Collection[str], errors: Collection[FieldError] = ()
    ) -> None:
        self.params = params
        self._allowed = allowed
        self._errors = {error.field: error for error in errors}

    @property
    def fields(self) -> list[Field]:
        return [self._make_field(name) for name in self.field_names if name in self._allowed]

    @property
    def first_fields(self) -> list[Field]:
        return [field for field in self.fields if self._is_first(field)]

    @property
    def further_fields(self) -> list[Field]:
        return [field for field in self.fields if not self._is_first(field)]

    @property
    def further_set(self) -> int:
        """The number of further fields with a value."""
        return sum(bool(field.value) for field in self.further_fields)

    @property
    def is_further_wrong(self) -> bool:
        return any(field.error for field in self.further_fields)

    @property
    def fields_set(self) -> int:
        """The number of fields with a value."""
        return sum(bool(field.value) for field in self.fields)

    @property
    def hidden_params(self) -> list[tuple[str, str]]:
        """(name, value) of parameters without a field, which the form keeps."""
        names = (*self.linked_names, *_OTHERS)
        return [(name, value) for name in names for value in self.params.getlist(name)]

    @property
    def other_params(self) -> list[tuple[str, str]]:
        """(name, value) of parameters that are not filters."""
        return [(name, text_of(self.params, name)) for name in _OTHERS if name in self.params]

    @property
    def without_times(self) -> str:
        """The query string of the same list at any time; empty if no time filter is set."""
        times = names_of_times(self.filters) & set(self.params)
        return self.query_with(**dict.fromkeys(times)) if times else ""

    @property
    def first_page(self) -> str:
        """The query string of the list's first page, for links that lead away and back; may be empty."""
        return self.query_with().removesuffix("?")

    @property
    def filter_query(self) -> str:
        """The query string that a saved view keeps; empty without filters."""
        return self.query_with() if set(self.params) - {*_PAGE, *_OTHERS} else ""

    def query_with(self, **changes: str | None) -> str:
        """Return the query string of the first page with some parameters set, or removed if None."""
        params = self.params.copy()
        for name in (*_PAGE, *changes):
            params.pop(name, None)
        for name, value in changes.items():
            if value is not None:
                params[name] = value
        return query_of(params)

    def page_query(self, cursor: str | None, *, now: datetime) -> str | None:
        """
        Return the query string of a neighbouring page, or None without a cursor.

        Args:
            now: the time from which this page counted relative times; its neighbours use the same.
        """
        if cursor is None:
            return None
        params = self.params.copy()
        if has_relative_times(params, self.filters):
            params[AT] = moments.as_exact_time("-0s", is_end=False, now=now)
        params["cursor"] = cursor
        return query_of(params)

    def queries_of_neighbours(self, page: Page[M], *, ordering: str, now: datetime) -> dict[str, str | None]:
        """Return the query strings of the neighbouring pages, by the age of their rows."""
        forwards, backwards = (
            self.page_query(cursor, now=now) for cursor in (page.next_cursor, page.previous_cursor)
        )
        is_newest_first = ordering.startswith("-")
        return {
            "older": forwards if is_newest_first else backwards,
            "newer": backwards if is_newest_first else forwards,
        }

    def values_of(self, name: str) -> list[str]:
        """Return the values of a filter that takes several."""
        values = self.params.getlist(name)
        if self.filters[name].is_text_list:
            return values
        return ",".join(values).split(",") if values else []

    def query_with_values(self, values: Mapping[str, Sequence[str]]) -> str:
        """Return the query string of the first page with these values of filters that take several."""
        changed = type(self)(self.params.copy(), allowed=self._allowed)
        for name, chosen in values.items():
            changed.params.pop(name, None)
            if chosen:
                changed.params.setlist(
                    name, chosen if self.filters[name].is_text_list else [",".join(chosen)]
                )
        return changed.query_with()

    def one_of(self, name: str, choices: Collection[tuple[str, str | None]]) -> list[Link]:
        """Return a link for each (text, value) of a filter with a single value. None removes the filter."""
        chosen = self.params.get(name)
        return [
            Link(text=text, query=self.query_with(**{name: value}), is_on=chosen == value)
            for text, value in choices
        ]

    def in_order(self, orders: Mapping[str, str], *, chosen: str | None = None) -> list[Link]:
        """Return a link for each order, by (name, text). By default, the one of the address is chosen."""
        chosen = chosen or self.params.get("ordering", next(iter(orders)))
        return [
            Link(text=text, query=self.query_with(ordering=name), is_on=name == chosen)
            for name, text in orders.items()
        ]

    def recent_ranges(self, column: str) -> list[Link]:
        """Return links to time ranges that end now, and to any time."""
        return [self._link_since(column, text, start) for text, start in (*_RECENT, ("Any time", None))]

    def _is_first(self, field: Field) -> bool:
        return not self.first_names or field.name in self.first_names

    def _make_field(self, name: str) -> Field:
        value, hint = self.params.get(name, ""), self.hints.get(name, "")
        if name in names_of_times(self.filters):
            is_end = name in end_times(self.filters)
            value, hint = moments.as_written(value, is_end=is_end).replace("T", " "), _TIME_HINT
        error = said_plainly(self._errors[name], self.labels) if name in self._errors else ""
        return Field(name=name, label=self.labels[name], value=value, hint=hint, error=error)

    def _link_since(self, column: str, text: str, start: str | None) -> Link:
        first, last = f"{column}_from", f"{column}_to"
        values = dict(self._values_of((first, last)))
        query = self.query_with(**{first: start, last: None})
        return Link(text=text, query=query, is_on=values == ({first: start} if start else {}))

    def _values_of(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        return ((name, text_of(self.params, name)) for name in names if name in self.params)


def badge_links(name: str, badges: Mapping[Any, Badge], *, anything: str = "All") -> property:
    """Return a property for a form: links for the values of a filter by their badges, and for any value."""
    choices = [(anything, None), *((badge.text, str(value)) for value, badge in badges.items())]
    return property(lambda form: form.one_of(name, choices))


def said_plainly(error: FieldError, labels: Mapping[str, str]) -> str:
    """Return the message of an error with the labels of the fields instead of their names."""
    text = error.message.removeprefix(f"{error.field} ")
    for name, label in labels.items():
        if "_" in name:  # A name of a single word may also be a word of the sentence.
            text = text.replace(name, label)
    return text[:1].upper() + text[1:]
