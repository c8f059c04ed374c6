"""The values that the query line suggests for a filter of messages."""

from collections.abc import Iterator

from messages_app.messages.filtering.filters import ARCHIVED, FAMILY, STATE
from messages_app.messages.query_line.known_values import COLUMNS, known_values
from messages_app.messages.states import STATE_MEANINGS
from messages_app.web.query_line.suggestions import MAX_SUGGESTIONS

_FEW = {
    STATE: STATE_MEANINGS,
    ARCHIVED: {"true": "in the archive", "any": "live and in the archive"},
    FAMILY: {"roots": "messages without a parent", "failed": "parents of a failed message"},
}


def known(name: str, typed: str) -> Iterator[tuple[str, str]]:
    """Yield (value, meaning) of what a filter may be: of few values, or of those that the column has."""
    if name in COLUMNS:
        yield from ((value, "") for value in known_values(name, containing=typed, limit=MAX_SUGGESTIONS))
        return
    yield from ((value, meaning) for value, meaning in _FEW.get(name, {}).items() if value.startswith(typed))
