"""What may stand at one place of the query line: keys, states, times, the values that a column has."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, FAMILY, STATE
from messages_app.messages.query_line.known_values import COLUMNS, known_values
from messages_app.messages.query_line.terms import Term, as_term, terms
from messages_app.messages.query_line.vocabulary import LABELS, NAMES_BY_KEY, SHORT_KEYS, TIMES, label_of
from messages_app.messages.states import STATE_MEANINGS

MAX_SUGGESTIONS = 12

_TIMES = {
    ">-15m": "in the last 15 minutes",
    ">-1h": "in the last hour",
    ">-24h": "in the last 24 hours",
    ">-7d": "in the last 7 days",
    "today": "since 00:00 UTC",
    "yesterday": "the whole day",
    "<-1h": "more than an hour ago",
    "-2h..-1h": "between two and one hours ago",
}
_FLAGS = {
    ARCHIVED: {"true": "in the archive", "any": "live and in the archive"},
    FAMILY: {"roots": "messages without a parent", "failed": "parents of a failed message"},
}
_KEY_HINTS = {
    STATE: "several with commas",
    CONTENT: 'or "a text in quotes"; needs a time range',
    "failed_error_code": "E100, E121",
    "parent_msg_id": "a message id",
    ARCHIVED: "true or any",
    FAMILY: "roots or failed",
}


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """
    One thing that may stand there.

    Args:
        text: as the list of suggestions shows it.
        meaning: what it means, in a few words.
        insert: what takes the place of `start` to `end` of the line.
    """

    text: str
    meaning: str
    insert: str


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """What may stand at the place from `start` to `end` of the line, in characters, as of a slice."""

    start: int
    end: int
    options: list[Suggestion]


def suggest(line: str, at: int, *, allowed: Collection[str]) -> Suggestions:
    """
    Return what may stand where somebody types.

    Args:
        at: the caret, in characters.
        allowed: the names of the filters that the reader may use.
    """
    term = next((each for each in terms(line) if each.start <= at <= each.end), None)
    if term is None or not term.key or at < term.value_start:
        return _keys(term, at, allowed)
    names = [name for name in NAMES_BY_KEY.get(term.key.lower(), ()) if name in allowed]
    if not names:
        return Suggestions(start=at, end=at, options=[])
    return _values(term, names[0])


def _keys(term: Term | None, at: int, allowed: Collection[str]) -> Suggestions:
    if term is not None and term.quoted:
        return Suggestions(start=at, end=at, options=[])
    typed = "" if term is None else (term.key or term.value).lower()
    start, end = (at, at) if term is None else (term.start, term.value_start if term.key else term.end)
    known = [key for key in SHORT_KEYS if NAMES_BY_KEY[key][0] in allowed]
    fitting = sorted((key for key in known if typed in key), key=lambda key: not key.startswith(typed))
    options = [Suggestion(text=f"{key}:", meaning=_key_meaning(key), insert=f"{key}:") for key in fitting]
    states = _states_beginning(typed) if typed and STATE in allowed else []
    return Suggestions(start=start, end=end, options=[*options, *states][:MAX_SUGGESTIONS])


def _key_meaning(key: str) -> str:
    name = NAMES_BY_KEY[key][0]
    hint = ">-2h, today, 2026-11-20..2026-11-21" if name in TIMES else _KEY_HINTS.get(name)
    label = label_of(name) if name in TIMES else LABELS[name]
    return f"{label}: {hint}" if hint else label


def _states_beginning(typed: str) -> list[Suggestion]:
    return [
        Suggestion(text=f"state:{state}", meaning=meaning, insert=f"state:{state} ")
        for state, meaning in STATE_MEANINGS.items()
        if state.lower().startswith(typed)
    ]


def _values(term: Term, name: str) -> Suggestions:
    if name == STATE:
        return _states(term)
    options = [
        Suggestion(text=value, meaning=meaning, insert=f"{as_term(term.key, value)} ")
        for value, meaning in _known(name, term.value)
    ]
    return Suggestions(start=term.start, end=term.end, options=options[:MAX_SUGGESTIONS])


def _states(term: Term) -> Suggestions:
    """Return the states that may follow the last comma, none that stands before it."""
    *before, last = term.value.upper().split(",")
    head = f"{term.key}:" + "".join(f"{state}," for state in before)
    options = [
        Suggestion(text=str(state), meaning=meaning, insert=f"{head}{state}")
        for state, meaning in STATE_MEANINGS.items()
        if last in state and state not in before
    ]
    options.sort(key=lambda option: not option.text.startswith(last))
    return Suggestions(start=term.start, end=term.end, options=options)


def _known(name: str, typed: str) -> Iterator[tuple[str, str]]:
    if name in COLUMNS:
        yield from ((value, "") for value in known_values(name, containing=typed, limit=MAX_SUGGESTIONS))
        return
    known = _TIMES if name in TIMES else _FLAGS.get(name, {})
    yield from ((value, meaning) for value, meaning in known.items() if value.startswith(typed))
