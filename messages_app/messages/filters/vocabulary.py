"""The words of the message list's query line, and the values that it suggests."""

from collections.abc import Iterator

from django.db import models

from messages_app.core.formatting import count_of, format_number
from messages_app.core.query_language.form import MAX_SUGGESTIONS
from messages_app.core.query_language.vocabulary import TimeWords, Vocabulary
from messages_app.messages import fields
from messages_app.messages.distinct_values import list_distinct_values
from messages_app.messages.failures.memberships import list_failed_systems
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    CONTENT,
    EXCLUDED,
    EXTERNAL_SYSTEM,
    FACET_COLUMNS,
    FAILURE_GROUP,
    FAMILIES,
    FAMILY,
    FILTERS,
    INCIDENT,
    STATE,
    TIME_COLUMNS,
    name_exclusion,
)
from messages_app.messages.metrics.kinds import count_values
from messages_app.shared.message_states import STATE_MEANINGS, MessageState

# Columns of few values, each with an index that begins with it (models.py).
COLUMNS = frozenset(name for name, one in fields.FILTERED.items() if one.suggests)
# Of a column with more values than this, the other values are only found by their beginning.
_MAX_VALUES = 200


def known_values(column: str, *, containing: str, limit: int) -> list[str]:
    """
    Return values of a live message's `column`, in order. Values that begin with `containing` come first.

    If there are more than 200 values, only the first 200 are searched for values that contain it elsewhere.

    Args:
        column: one of COLUMNS.
        containing: any case; empty for all.
    """
    part = containing.casefold()
    first = list_distinct_values(column, start="", count=_MAX_VALUES)
    near = (
        list_distinct_values(column, start=containing, count=limit)
        if containing and len(first) == _MAX_VALUES
        else []
    )
    values = [value for value in dict.fromkeys([*first, *near]) if part in value.casefold()]
    return sorted(values, key=lambda value: not value.casefold().startswith(part))[:limit]


_FEW = {
    ARCHIVED: {"true": "in the archive", "any": "live and in the archive"},
    FAMILY: {"roots": "messages without a parent", "failed": "parents of a failed message"},
}


def values_of_filter(name: str, typed: str) -> Iterator[tuple[str, str]]:
    """
    Yield (value, meaning) for a filter: its few values, or the values of its column, with the number of live
    messages that have each if it is counted.
    """
    if name == EXTERNAL_SYSTEM:
        yield from ((system, "") for system in list_failed_systems(containing=typed, limit=MAX_SUGGESTIONS))
        return
    numbers = count_values(name) if name in FACET_COLUMNS else {}
    if name in COLUMNS:
        for value in known_values(name, containing=typed, limit=MAX_SUGGESTIONS):
            yield value, count_of(numbers[value], "message") if value in numbers else ""
        return
    if name == STATE:
        for state, meaning in STATE_MEANINGS.items():
            if state.startswith(typed):
                yield state, f"{format_number(numbers[state])} · {meaning}" if state in numbers else meaning
        return
    yield from ((value, meaning) for value, meaning in _FEW.get(name, {}).items() if value.startswith(typed))


_IDS, _TEXTS = fields.filtered_columns(models.BigIntegerField), fields.filtered_columns(models.CharField)
# The columns with a filter by value, in the order of pages: the id, the state, other texts, other ids.
_BY_VALUE = (_IDS[0], STATE, *(name for name in _TEXTS if name != STATE), *_IDS[1:])
_STATES = (STATE, name_exclusion(STATE))
_KEYS = {**{name: fields.key_of(name) for name in _BY_VALUE}, EXTERNAL_SYSTEM: "system"}
_NAMES = {
    **{name: fields.FILTERED[name].label or fields.FIELDS[name].label for name in _BY_VALUE},
    EXTERNAL_SYSTEM: "System",
}
VOCABULARY = Vocabulary(
    filters=FILTERS,
    excluded=EXCLUDED,
    names={
        **_NAMES,
        **{name: f"{_NAMES[facet]} not" for name, facet in EXCLUDED.items()},
        FAILURE_GROUP: "Failure group",
        INCIDENT: "Incident",
        CONTENT: "Payload contains",
        FAMILY: "Family",
        ARCHIVED: "In the archive",
    },
    times={
        name: TimeWords(key=fields.key_of(name), label=fields.FIELDS[name].label) for name in TIME_COLUMNS
    },
    keys={
        **_KEYS,
        **{name: f"-{_KEYS[facet]}" for name, facet in EXCLUDED.items()},
        FAILURE_GROUP: "group",
        INCIDENT: "incident",
        CONTENT: "payload",
    },
    state=STATE,
    choices={**dict.fromkeys(_STATES, tuple(MessageState)), FAMILY: FAMILIES, ARCHIVED: ("true", ANYWHERE)},
    phrases={
        (ARCHIVED, "true"): "In the archive",
        (ARCHIVED, "false"): "Live",
        (ARCHIVED, ANYWHERE): "Live and in the archive",
        (FAMILY, "roots"): "Roots only",
        (FAMILY, "failed"): "Parents of a failed message",
    },
    hints={
        **{name: one.hint for name, one in fields.FILTERED.items() if one.hint},
        EXTERNAL_SYSTEM: "the host at which messages failed",
        CONTENT: 'or "a text in quotes"; needs a time range',
        FAILURE_GROUP: "the id of a failure group",
        INCIDENT: "the id of an incident",
        ARCHIVED: "true or any",
        FAMILY: "roots or failed",
    },
    find_values=values_of_filter,
    text=CONTENT,
    no_text=(
        "Payload search needs the permission view_payload, and values that this session shows. "
        "Ask an administrator. To search ids, enter a single word."
    ),
    text_needs="Payload search needs a time range of at most 31 days: add received:>-2h.",
)
LABELS = VOCABULARY.labels
TIMES = VOCABULARY.time_names
label_of = VOCABULARY.label_of
