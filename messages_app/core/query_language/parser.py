"""
The query line of a list: `state:FAILED service:billing received:>-2h "no balance"`, and back.

`parse` converts a line to the parameters of the address, and `render` converts parameters to a line. `parse`
returns the same parameters for a rendered line. No part of a line is ever ignored.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches

from django.http import QueryDict

from messages_app.core.filters import moments
from messages_app.core.filters.address import PARAMETERS
from messages_app.core.filters.table import Filter
from messages_app.core.filters.values import InvalidValue, join_values, split_values
from messages_app.core.parameters import text_of
from messages_app.core.problems import quote_value, unknown_name
from messages_app.core.query_language import terms as time_terms
from messages_app.core.query_language.terms import Term, format_term, split_terms
from messages_app.core.query_language.vocabulary import Vocabulary

_OPERATORS = frozenset({"AND", "OR", "NOT", "&&", "||"})


@dataclass(frozen=True, kw_only=True)
class LineError:
    """
    An error at one place of the line.

    Args:
        start, end: the place, in characters, like a slice.
        message: the fault, and what to write instead.
        allowed: the valid texts, if there are only a few.
    """

    start: int
    end: int
    message: str
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reading:
    """
    The meaning of a line.

    Args:
        params: the parameters of the address, by name, in the order of the filters; several values of one are
            separated by commas (`address_of`).
        errors: the errors, in the order of the line. If there are any, `params` is incomplete.
        find: the id to look up, if the line is a single word; else empty.
    """

    params: Mapping[str, str]
    errors: tuple[LineError, ...] = ()
    find: str = ""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One term of a rendered line: the parameters that it represents, and its place."""

    text: str
    names: tuple[str, ...]
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Wrong(Exception):
    """A term has no meaning for the list."""

    def __init__(self, message: str, allowed: Collection[str] = ()) -> None:
        super().__init__(message)
        self.allowed = tuple(allowed)


def parse_line(line: str, vocabulary: Vocabulary, *, now: datetime, allowed: Collection[str]) -> Reading:
    """
    Parse a line.

    Args:
        vocabulary: the vocabulary of the list.
        now: the time that times of day refer to. Relative times remain relative.
        allowed: the names of the filters that the user may use.
    """
    terms = list(split_terms(line))
    if len(terms) == 1 and _is_id(terms[0], vocabulary):
        return Reading(params={}, find=terms[0].value)
    params: dict[str, str] = {}
    errors = []
    reader = _Reader(vocabulary, now, allowed)
    for term in _merge_words(terms):
        try:
            reader.add_term(params, term)
        except _Wrong as wrong:
            errors.append(_error_at_term(term, wrong))
    in_order = {name: params[name] for name in vocabulary.filters if name in params}
    return Reading(params=in_order, errors=tuple(errors))


def _is_id(term: Term, vocabulary: Vocabulary) -> bool:
    """Whether a single word is an id, because no one searches all payloads for one word."""
    return not (term.key or term.quoted or term.problem or term.value.upper() in vocabulary.states)


def _merge_words(terms: Iterable[Term]) -> list[Term]:
    """
    Return the terms. Adjacent words become one term with an error, because only in quotes are they one text.
    """
    merged: list[Term] = []
    for term in terms:
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
    return replace(term, problem=f'Text with several words needs quotes: "{term.value}".')


class _Reader:
    """Converts terms to parameters, for one vocabulary, user and time."""

    def __init__(self, vocabulary: Vocabulary, now: datetime, allowed: Collection[str]) -> None:
        self._words = vocabulary
        self._now = now
        self._allowed = allowed

    def add_term(self, params: dict[str, str], term: Term) -> None:
        """
        Add the parameters of a term. Several values are joined; any other parameter may be set only once.
        """
        for name, value in self._parameters_of(term).items():
            if name in params and not self._words.filters[name].repeatable:
                raise _Wrong(f"{term.key or 'A text'} is given twice. All terms must match.")
            params[name] = f"{params[name]},{value}" if name in params else value

    def _parameters_of(self, term: Term) -> Mapping[str, str]:
        """Return the parameters that one term sets."""
        if term.problem:
            raise _Wrong(term.problem)
        if not term.key:
            return self._parameters_of_text(term)
        names = [name for name in self._words.names_by_key.get(term.key.lower(), ()) if name in self._allowed]
        if not names and self._words.text in self._words.names_by_key.get(term.key.lower(), ()):
            raise _Wrong(self._words.no_text)
        if not names:
            raise self._unknown_key(term.key)
        if not term.value:
            choices = self._words.choices.get(names[0], ())
            raise _Wrong(f"{term.key}: needs a value directly after the colon.", choices)
        if names[0] in self._words.time_names:
            return self._parameters_of_times(term, names)
        return {names[0]: self._parse_value(term, names[0])}

    def _parameters_of_text(self, term: Term) -> dict[str, str]:
        word = term.value
        if not term.quoted and word in _OPERATORS:
            several = f"{self._words.key_of(self._words.state)}:A,B" if self._words.state else "key:A,B"
            raise _Wrong(f"{word} is not needed: all terms must match. Write several values as {several}.")
        if not term.quoted and word.upper() in self._words.states:
            key = self._words.key_of(self._words.state)
            raise _Wrong(f"Did you mean the {key}? Write {key}:{word.upper()}.")
        if self._words.text not in self._allowed:
            raise _Wrong(self._words.no_text)
        return {self._words.text: self._parse_value(term, self._words.text)}

    def _unknown_key(self, key: str) -> _Wrong:
        keys = [
            short
            for short in self._words.short_keys
            if set(self._words.names_by_key[short]) & set(self._allowed)
        ]
        if key.startswith(("-", "!")):
            able = [self._words.key_of(name) for name in self._words.excluded if name in self._allowed]
            text = "List the values you want, separated by commas."
            return _Wrong(f"Values of {quote_value(key[1:])} cannot be excluded. {text}", able or keys)
        text = unknown_name("key", key, keys)
        return _Wrong(f"{text} Text with a colon needs quotes.", keys)

    def _parameters_of_times(self, term: Term, names: list[str]) -> Mapping[str, str]:
        start, end = self._words.bounds_of(names[0])
        try:
            if len(names) == 2:
                return time_terms.read_times(term.value, start=start, end=end, now=self._now)
            value = moments.as_address(term.value, is_end=names[0] == end, now=self._now)
            time_terms.check_time(value, name=names[0], now=self._now)
            return {names[0]: value}
        except time_terms.InvalidTime as error:
            raise _Wrong(str(error), moments.EXAMPLES) from None

    def _parse_value(self, term: Term, name: str) -> str:
        """Check the value of a term, and return it in the form of the address."""
        one = self._words.filters[name]
        if not term.quoted and "*" in term.value:
            raise _Wrong(
                f'Wildcards are not supported. If * is part of the value, use quotes: "{term.value}".'
            )
        value = term.value.upper() if name in self._words.state_names else term.value
        if term.quoted and one.is_text_list:
            value = join_values([value])
        if "\0" in value:
            raise _Wrong("A value must not contain NUL.")
        try:
            for part in self._parts_of(value, one):
                one.parse(part, one)
        except InvalidValue as error:
            raise self._wrong_value(term, name, error) from None
        return value

    @staticmethod
    def _parts_of(value: str, one: Filter) -> list[str]:
        if one.is_text_list:
            return split_values(value)
        return value.split(",") if one.repeatable else [value]

    def _wrong_value(self, term: Term, name: str, error: InvalidValue) -> _Wrong:
        choices = self._words.choices.get(name)
        if choices is None:
            return _Wrong(str(error).replace(name, term.key or "A text", 1))
        near = get_close_matches(term.value.lower(), [choice.lower() for choice in choices], n=1)
        meant = near and (near[0].upper() if name in self._words.state_names else near[0])
        hint = f" Did you mean {meant}?" if near else ""
        return _Wrong(f"Unknown {term.key} {quote_value(term.value)}.{hint}", choices)


def _error_at_term(term: Term, wrong: _Wrong) -> LineError:
    return LineError(start=term.start, end=term.end, message=str(wrong), allowed=wrong.allowed)


def address_of(values: Mapping[str, str], vocabulary: Vocabulary) -> QueryDict:
    """Return the address for the parameters of a line: several texts are several parameters."""
    params = QueryDict(mutable=True)
    for name, value in values.items():
        one = vocabulary.filters.get(name)
        params.setlist(name, split_values(value) if one is not None and one.is_text_list else [value])
    return params


def line_values(params: QueryDict, vocabulary: Vocabulary) -> dict[str, str]:
    """Return the parameters of an address as a line has them, the opposite of `address_of`."""
    return {name: _join_parameters(params, name, vocabulary) for name in params if name not in PARAMETERS}


def _join_parameters(params: QueryDict, name: str, vocabulary: Vocabulary) -> str:
    one = vocabulary.filters.get(name)
    if one is None or not one.repeatable:
        return text_of(params, name)
    return join_values(params.getlist(name)) if one.is_text_list else ",".join(params.getlist(name))


def render_line(params: Mapping[str, str], vocabulary: Vocabulary) -> tuple[str, list[Piece]]:
    """
    Return the line for the parameters of an address, and its terms.

    The line includes unknown parameters and invalid values, so that the user can see and correct them.
    """
    pieces: list[Piece] = []
    at = 0
    for names in _group_parameters(params, vocabulary):
        text = _write_line(names, params, vocabulary)
        pieces.append(Piece(text=text, names=names, start=at))
        at += len(text) + 1
    return " ".join(piece.text for piece in pieces), pieces


def _group_parameters(params: Mapping[str, str], vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """Return the names of the parameters, in the order of the filters. Both ends of a time are one group."""
    ends = {
        name: tuple(each for each in pair if each in params) for pair in vocabulary.bounds for name in pair
    }
    in_order = [name for name in vocabulary.filters if name in params]
    others = [name for name in params if name not in vocabulary.filters]
    return list(dict.fromkeys(ends.get(name, (name,)) for name in [*in_order, *others]))


def _write_line(names: tuple[str, ...], params: Mapping[str, str], vocabulary: Vocabulary) -> str:
    if names[0] in vocabulary.time_names:
        start, end = vocabulary.bounds_of(names[0])
        written = time_terms.format_range(params.get(start, ""), params.get(end, ""))
        return format_term(vocabulary.key_of(start), written)
    key = "" if names[0] == vocabulary.text else vocabulary.key_of(names[0])
    one = vocabulary.filters.get(names[0])
    if one is not None and one.is_text_list:
        return time_terms.write_values(key, params[names[0]])
    return format_term(key, params[names[0]])
