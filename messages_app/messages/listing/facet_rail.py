"""The facets next to the list of messages: values with numbers, and links that choose or leave them out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from messages_app.core.formatting import format_number, format_percent
from messages_app.messages.facet_counts import FacetCounts
from messages_app.messages.failures.models import ErrorCode
from messages_app.messages.filters.message_filter import (
    ERROR_CODE,
    EXTERNAL_SYSTEM,
    FACETS,
    OPERATION,
    SERVICE,
    STATE,
    name_exclusion,
)
from messages_app.messages.filters.vocabulary import label_of
from messages_app.messages.listing.filter_form import FilterForm
from messages_app.shared.message_states import STATE_MEANINGS, MessageState

# The values that a facet shows, and the further ones that it unfolds.
_SHOWN, _UNFOLDED = 8, 40
_TITLES = {"source_system": "Source", ERROR_CODE: "Error"}


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


def make_facets(form: FilterForm, counts: dict[str, FacetCounts | None]) -> Iterator[Facet]:
    """Yield the facets that have values. The operation is shown once a service is chosen."""
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
