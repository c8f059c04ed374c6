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
    conditions = []
    for name in FACETS:
        chosen = filters.states if name == STATE else filters.chosen_values(name)
        left_out = filters.left_out_values(name)
        if chosen or left_out:
            conditions.append((name, chosen, left_out))
    for kind in kinds:
        values = [(getattr(kind, name), chosen, left_out) for name, chosen, left_out in conditions]
        if all(
            (not chosen or value in chosen) and value not in left_out for value, chosen, left_out in values
        ):
            yield kind
