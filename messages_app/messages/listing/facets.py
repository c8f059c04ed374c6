"""
The facets next to the list of messages: values with the numbers of their messages, and links that choose or
leave them out.

The numbers are exact ones from stored totals, otherwise those of the newest messages of the list. Nothing
here reads more than a fixed number of messages.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.formatting import format_number, format_percent
from messages_app.core.pagination.paginator import fetch_page, parse_ordering
from messages_app.messages.failures.models import ErrorCode
from messages_app.messages.filters.branches import split_into_branches
from messages_app.messages.filters.message_filter import (
    CONTENT,
    ERROR_CODE,
    EXTERNAL_SYSTEM,
    FACET_COLUMNS,
    FACETS,
    OPERATION,
    SERVICE,
    STATE,
    MessageFilter,
    name_exclusion,
    natural_order,
)
from messages_app.messages.filters.vocabulary import label_of
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.listing.filter_form import FilterForm
from messages_app.messages.metrics.kinds import (
    Kind,
    find_systems,
    read_failing_kinds,
    read_kinds,
)
from messages_app.messages.selectors import ORDERS, STORED, match_kinds
from messages_app.shared.message_states import STATE_MEANINGS, MessageState

# The values that a facet shows, and the further ones that it unfolds.
_SHOWN, _UNFOLDED = 8, 40
_TITLES = {"source_system": "Source", ERROR_CODE: "Error"}
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
    except TooSlow:
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


@dataclass(frozen=True, kw_only=True)
class FacetValue:
    """
    One value of a facet.

    Args:
        number: the number of its messages, or their share of a sample; empty if unknown.
        title: its meaning.
        toggle: the query string of the list with the value chosen, or with the choice taken back.
        leave_out: the query string of the list without its messages; empty with a choice.
    """

    text: str
    number: str
    title: str
    is_chosen: bool
    is_left_out: bool
    toggle: str
    leave_out: str


@dataclass(frozen=True, kw_only=True)
class Facet:
    """
    A facet with values.

    Args:
        note: the messages that were counted, if they are not all.
        values, further: the values that are shown, and the values that are unfolded.
        is_cut: whether there are more values.
    """

    name: str
    title: str
    note: str
    values: list[FacetValue]
    further: list[FacetValue]
    is_cut: bool


def make_facets(form: FilterForm, filters: MessageFilter) -> Iterator[Facet]:
    """Yield the facets of a list that have values. The operation is shown once a service is chosen."""
    counts = count_facets(filters)
    for name in FACETS:
        if name == OPERATION and not {SERVICE, OPERATION, name_exclusion(OPERATION)} & set(form.params):
            continue
        facet = _make_facet(form, name, counts[name])
        if facet.values:
            yield facet


def _make_facet(form: FilterForm, name: str, counts: FacetCounts | None) -> Facet:
    chosen, left_out = form.values_of(name), form.values_of(name_exclusion(name))
    numbers = counts.numbers if counts else {}
    names = list(dict.fromkeys([*chosen, *left_out, *_in_order(name, counts)]))
    if name == STATE:
        names = [state for state in MessageState if state in names]
    names, is_cut = names[: _SHOWN + _UNFOLDED], len(names) > _SHOWN + _UNFOLDED
    meanings = _describe_values(name, names)
    values = [
        _make_value(
            form, name, value, _write_number(counts, numbers.get(value, 0)), meanings.get(value, value)
        )
        for value in names
    ]
    most = len(values) if name == STATE else max(_SHOWN, len(chosen) + len(left_out))
    return Facet(
        name=name,
        title=_TITLES.get(name, label_of(name)),
        note=_write_note(counts),
        values=values[:most],
        further=values[most:],
        is_cut=is_cut,
    )


def _in_order(name: str, counts: FacetCounts | None) -> Iterable[str]:
    """Return the values, those with most messages first."""
    if counts is None:
        return list(MessageState) if name == STATE else ()
    return sorted(counts.numbers, key=lambda value: (-counts.numbers[value], value))


def _write_number(counts: FacetCounts | None, number: int) -> str:
    if counts is None:
        return ""
    return format_number(number) if counts.sample is None else format_percent(number / max(counts.sample, 1))


def _write_note(counts: FacetCounts | None) -> str:
    if counts is None or counts.sample is None:
        return ""
    return f"of the newest {format_number(counts.sample)}"


def _make_value(form: FilterForm, name: str, value: str, number: str, title: str) -> FacetValue:
    chosen, left_out = form.values_of(name), form.values_of(name_exclusion(name))
    is_chosen, is_left_out = value in chosen, value in left_out
    if is_left_out:
        changed = {name_exclusion(name): [each for each in left_out if each != value]}
    else:
        changed = {name: [each for each in chosen if each != value] if is_chosen else [*chosen, value]}
    # With a choice, the messages of other values are left out already.
    is_offered = not (chosen or is_left_out)
    return FacetValue(
        text=value,
        number=number,
        title=title,
        is_chosen=is_chosen,
        is_left_out=is_left_out,
        toggle=form.query_with_values(changed),
        leave_out=form.query_with_values({name_exclusion(name): [*left_out, value]}) if is_offered else "",
    )


def _describe_values(name: str, values: Sequence[str]) -> Mapping[str, str]:
    """Return the meanings of values."""
    if name == STATE:
        return {str(state): meaning for state, meaning in STATE_MEANINGS.items()}
    if name == ERROR_CODE:
        return dict(ErrorCode.objects.filter(code__in=values).values_list("code", "description"))
    if name == EXTERNAL_SYSTEM:
        return {value: f"Messages whose latest failure happened at {value}" for value in values}
    return {}
