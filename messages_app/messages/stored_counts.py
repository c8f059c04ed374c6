"""The number of messages of a list whose filter has only facets, from stored totals."""

from collections.abc import Iterable, Iterator

from messages_app.messages.filters.message_filter import (
    FACET_COLUMNS,
    FACETS,
    STATE,
    MessageFilter,
    name_exclusion,
)
from messages_app.messages.metrics.kinds import Kind, count_messages, read_kinds

# The filters that totals can answer.
STORED = frozenset({*FACET_COLUMNS, *map(name_exclusion, FACET_COLUMNS)})


def count_stored(filters: MessageFilter) -> int | None:
    """Return the exact number of messages; None if the totals do not have it."""
    if set(filters.values) - STORED:
        return None
    kinds = read_kinds()
    return None if kinds is None else count_messages(match_kinds(kinds, filters))


def match_kinds(kinds: Iterable[Kind], filters: MessageFilter) -> Iterator[Kind]:
    """Yield the kinds that the facets of a filter select."""
    chosen = {name: filters.states if name == STATE else filters.chosen_values(name) for name in FACETS}
    left_out = {name: filters.left_out_values(name) for name in FACETS}
    for kind in kinds:
        values = {name: getattr(kind, name) for name in FACETS}
        if all(
            (not chosen[name] or value in chosen[name]) and value not in left_out[name]
            for name, value in values.items()
        ):
            yield kind
