"""
The query line of the list: `state:FAILED service:billing received:>-2h "no balance"`, and back.

`parse` turns a line into the parameters of the address, `render` turns parameters into the line; of what
`render` wrote, `parse` makes the same parameters. Nothing in a line is ever ignored.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches

from messages_app.messages.filtering.filter_values import InvalidValue
from messages_app.messages.filtering.filters import CONTENT, FILTERS, STATE
from messages_app.messages.query_line import moments, time_terms
from messages_app.messages.query_line.terms import Term, as_term, terms
from messages_app.messages.query_line.vocabulary import (
    BOUNDS,
    CHOICES,
    NAMES_BY_KEY,
    SHORT_KEYS,
    TIMES,
    key_of,
)
from messages_app.messages.states import MessageState
from messages_app.web.problems import shown, unknown_name

_STATES = frozenset(MessageState)
_OPERATORS = frozenset({"AND", "OR", "NOT", "&&", "||"})


@dataclass(frozen=True, kw_only=True)
class LineError:
    """
    What is wrong at one place of the line.

    Args:
        start, end: the place, in characters, as of a slice.
        message: what is wrong and what to write instead.
        allowed: what may stand there, where that is a short list.
    """

    start: int
    end: int
    message: str
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """
    What a line means.

    Args:
        params: the parameters of the address, by name, in the order of the filters.
        errors: what is wrong, in the line's order; then `params` is not all of it.
        find: the id to be looked up, where the line is nothing but one word; else empty.
    """

    params: Mapping[str, str]
    errors: tuple[LineError, ...] = ()
    find: str = ""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One term of a written line: the parameters that it stands for, and its place."""

    text: str
    names: tuple[str, ...]
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Wrong(Exception):
    """A term says nothing that the list knows."""

    def __init__(self, message: str, allowed: Collection[str] = ()) -> None:
        super().__init__(message)
        self.allowed = tuple(allowed)


def parse(line: str, *, now: datetime, allowed: Collection[str]) -> Reading:
    """
    Return what a line means.

    Args:
        now: what times of day are counted from; relative times stay relative.
        allowed: the names of the filters that the reader may use.
    """
    found = list(terms(line))
    if len(found) == 1 and _is_id(found[0]):
        return Reading(params={}, find=found[0].value)
    params: dict[str, str] = {}
    errors = []
    for term in _merged(found):
        try:
            _take(params, _meaning(term, now, allowed), term)
        except _Wrong as wrong:
            errors.append(_error(term, wrong))
    in_order = {name: params[name] for name in FILTERS if name in params}
    return Reading(params=in_order, errors=tuple(errors))


def _is_id(term: Term) -> bool:
    """Whether a word that stands alone is an id: nobody searches all payloads for one word."""
    return not (term.key or term.quoted or term.problem or term.value.upper() in _STATES)


def _merged(found: Iterable[Term]) -> list[Term]:
    """Return the terms, words in a row as one with what is wrong with it: they are one text, or none."""
    merged: list[Term] = []
    for term in found:
        if merged and _is_word(merged[-1]) and _is_word(term):
            before = merged.pop()
            term = replace(term, start=before.start, value=f"{before.value} {term.value}")
        merged.append(term)
    return [_with_problem(term) for term in merged]


def _is_word(term: Term) -> bool:
    return not (term.key or term.quoted or term.problem or term.value in _OPERATORS)


def _with_problem(term: Term) -> Term:
    if not (_is_word(term) and " " in term.value):
        return term
    return replace(term, problem=f'A text of several words needs quotes: "{term.value}".')


def _meaning(term: Term, now: datetime, allowed: Collection[str]) -> dict[str, str]:
    """Return the parameters that one term sets."""
    if term.problem:
        raise _Wrong(term.problem)
    if not term.key:
        return _text(term, allowed)
    names = [name for name in NAMES_BY_KEY.get(term.key.lower(), ()) if name in allowed]
    if not names:
        raise _unknown_key(term.key, allowed)
    if not term.value:
        raise _Wrong(f"{term.key}: needs a value right behind the colon.", CHOICES.get(names[0], ()))
    if names[0] in TIMES:
        return _times(term, names, now)
    return {names[0]: _value(term, names[0])}


def _text(term: Term, allowed: Collection[str]) -> dict[str, str]:
    word = term.value
    if not term.quoted and word in _OPERATORS:
        raise _Wrong(f"{word} is not needed: all terms must hold. Several states are written state:A,B.")
    if not term.quoted and word.upper() in _STATES:
        raise _Wrong(f"Is this a state? Write state:{word.upper()}.")
    if CONTENT not in allowed:
        raise _Wrong("You may not search payloads. An id is looked up when it stands alone in the line.")
    return {CONTENT: _value(term, CONTENT)}


def _unknown_key(key: str, allowed: Collection[str]) -> _Wrong:
    known = [short for short in SHORT_KEYS if set(NAMES_BY_KEY[short]) & set(allowed)]
    if key.startswith(("-", "!")):
        return _Wrong("Nothing can be excluded. Name what you want to see: state:FAILED,CANCEL.", known)
    text = unknown_name("key", key, known)
    return _Wrong(f"{text} A text with a colon needs quotes.", known)


def _times(term: Term, names: list[str], now: datetime) -> dict[str, str]:
    start, end = next(pair for pair in BOUNDS if names[0] in pair)
    try:
        if len(names) == 2:
            return time_terms.read_times(term.value, start=start, end=end, now=now)
        value = moments.as_address(term.value, is_end=names[0] == end, now=now)
        time_terms.check(value, name=names[0], now=now)
        return {names[0]: value}
    except time_terms.InvalidTime as error:
        raise _Wrong(str(error), moments.EXAMPLES) from None


def _value(term: Term, name: str) -> str:
    """Return the value as the address has it, after a look whether it can be one."""
    one = FILTERS[name]
    if not term.quoted and "*" in term.value:
        raise _Wrong(f'Only whole values are found. Put it in quotes if * is part of it: "{term.value}".')
    value = term.value.upper() if name == STATE else term.value
    if "\0" in value:
        raise _Wrong("A value must not contain NUL.")
    try:
        for part in value.split(",") if one.repeatable else [value]:
            one.parse(part, one)
    except InvalidValue as error:
        raise _wrong_value(term, name, error) from None
    return value


def _wrong_value(term: Term, name: str, error: InvalidValue) -> _Wrong:
    if name in CHOICES:
        near = get_close_matches(term.value.lower(), [choice.lower() for choice in CHOICES[name]], n=1)
        hint = f" Did you mean {near[0].upper() if name == STATE else near[0]}?" if near else ""
        return _Wrong(f"{term.key} is none of what is known: {shown(term.value)}.{hint}", CHOICES[name])
    return _Wrong(str(error).replace(name, term.key or "A text", 1))


def _take(params: dict[str, str], new: Mapping[str, str], term: Term) -> None:
    """Add what a term sets; several states are one filter, anything else may stand there once."""
    for name, value in new.items():
        if name in params and not FILTERS[name].repeatable:
            raise _Wrong(f"{term.key or 'A text'} is given twice; all terms must hold at once.")
        params[name] = f"{params[name]},{value}" if name in params else value


def _error(term: Term, wrong: _Wrong) -> LineError:
    return LineError(start=term.start, end=term.end, message=str(wrong), allowed=wrong.allowed)


def render(params: Mapping[str, str]) -> tuple[str, list[Piece]]:
    """
    Return the line that says what the parameters of an address say, and its terms.

    What is no filter, or no value of one, is written out too: it can only be put right where it is seen.
    """
    pieces: list[Piece] = []
    at = 0
    for names in _groups(params):
        text = _written(names, params)
        pieces.append(Piece(text=text, names=names, start=at))
        at += len(text) + 1
    return " ".join(piece.text for piece in pieces), pieces


def _groups(params: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the names of the parameters, in the order of the filters; both ends of a time as one."""
    ends = {name: tuple(each for each in pair if each in params) for pair in BOUNDS for name in pair}
    in_order = [name for name in FILTERS if name in params] + [name for name in params if name not in FILTERS]
    return list(dict.fromkeys(ends.get(name, (name,)) for name in in_order))


def _written(names: tuple[str, ...], params: Mapping[str, str]) -> str:
    if names[0] in TIMES:
        start, end = next(pair for pair in BOUNDS if names[0] in pair)
        return as_term(key_of(start), time_terms.written(params.get(start, ""), params.get(end, "")))
    return as_term("" if names[0] == CONTENT else key_of(names[0]), params[names[0]])
