"""
The number of messages of a list by the values of its facets: exact ones from stored totals, otherwise of the
newest messages of the list. Nothing here reads more than a fixed number of messages.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.db import OperationalError

from messages_app.core.clock import is_too_slow, time_limit
from messages_app.core.pagination.paginator import fetch_page, parse_ordering
from messages_app.messages.filters.branches import split_into_branches
from messages_app.messages.filters.message_filter import (
    CONTENT,
    EXTERNAL_SYSTEM,
    FACET_COLUMNS,
    FACETS,
    MessageFilter,
    name_exclusion,
    natural_order,
)
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.metrics.kinds import (
    Kind,
    find_systems,
    read_failing_kinds,
    read_kinds,
)
from messages_app.messages.selectors import ORDERS
from messages_app.messages.stored_counts import STORED, match_kinds
from messages_app.shared.message_states import MessageState

# The number of messages in a sample.
SAMPLE = 1_000
# Seconds in which messages without an index are looked for, and the limit of each statement.
_PATIENCE, _LIMIT_MS = 0.1, 400
_WITH_SYSTEM = {*STORED, EXTERNAL_SYSTEM, name_exclusion(EXTERNAL_SYSTEM)}


@dataclass(frozen=True, kw_only=True)
class FacetCounts:
    """
    The messages of a list by the values of one facet, without the list's own choice of its values.

    Args:
        numbers: by the value.
        sample: the number of newest messages that were counted, if the list has more; None: the numbers are
            exact.
    """

    numbers: Counter[str]
    sample: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Counted:
    kinds: Sequence[Kind]
    sample: int | None = None


def count_facets(filters: MessageFilter) -> dict[str, FacetCounts | None]:
    """Return the counts of each facet; None if they would take too long."""
    reader = _Reader()
    return {name: _count_facet(reader, filters, name) for name in FACETS}


def _count_facet(reader: "_Reader", filters: MessageFilter, name: str) -> FacetCounts | None:
    others = filters.without_filters(name, name_exclusion(name))
    counted = reader.read(others, with_system=name == EXTERNAL_SYSTEM)
    if counted is None:
        return None
    numbers: Counter[str] = Counter()
    for kind in counted.kinds:
        numbers[getattr(kind, name)] += kind.messages
    del numbers[""]
    return FacetCounts(numbers=numbers, sample=counted.sample)


class _Reader:
    """Reads what the facets of one list count, each only once."""

    def __init__(self) -> None:
        self._read_kinds = cache(read_kinds)
        self._read_failing_kinds = cache(read_failing_kinds)
        self._samples: dict[str, _Counted | None] = {}

    def read(self, filters: MessageFilter, *, with_system: bool) -> _Counted | None:
        """Return the kinds of the messages of a list; None if it takes too long."""
        if CONTENT in filters.values:
            return None
        kinds = self._read_stored(filters, with_system=with_system)
        if kinds is not None:
            return _Counted(kinds=list(match_kinds(kinds, filters)))
        key = filters.as_query()
        if key not in self._samples:
            self._samples[key] = _read_sample(filters)
        return self._samples[key]

    def _read_stored(self, filters: MessageFilter, *, with_system: bool) -> Sequence[Kind] | None:
        names = set(filters.values)
        if not with_system and names <= STORED:
            return self._read_kinds()
        if names <= _WITH_SYSTEM and filters.states == (MessageState.FAILED,):
            return self._read_failing_kinds()
        return None


def _read_sample(filters: MessageFilter) -> _Counted | None:
    """Read the newest messages of a list, or all if there are few; None if it takes too long."""
    order = parse_ordering(natural_order(filters), ORDERS)
    try:
        with time_limit(_LIMIT_MS):
            page = fetch_page(
                split_into_branches(filters, order, columns=FACET_COLUMNS),
                order=order,
                page_size=SAMPLE,
                patience=_PATIENCE,
            )
            systems = find_systems([row.pk for row in page.rows])
    except OperationalError as error:
        if not is_too_slow(error):
            raise
        return None
    kinds = [_kind_of(row, systems.get(row.pk, "")) for row in page.rows]
    return _Counted(kinds=kinds, sample=None if page.next_cursor is None else len(kinds))


def _kind_of(row: MessageColumns, system: str) -> Kind:
    return Kind(
        state=row.state,
        service_name=row.service_name,
        operation_name=row.operation_name,
        source_system=row.source_system,
        failed_error_code=row.failed_error_code or "",
        external_system=system,
        messages=1,
    )
