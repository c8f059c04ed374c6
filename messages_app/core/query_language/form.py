"""
The query line on a page: its text, its errors with their places, its filters in words, and suggestions for
one place of it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from messages_app.core.filters import moments
from messages_app.core.filters.values import join_values, split_values
from messages_app.core.formatting import join_with_commas
from messages_app.core.lists.filter_form import said_plainly
from messages_app.core.parameters import text_of
from messages_app.core.problems import FieldError
from messages_app.core.query_language.parser import LineError, Piece, line_values, render_line
from messages_app.core.query_language.terms import Term, format_term, split_terms, write_values
from messages_app.core.query_language.vocabulary import Vocabulary

MAX_SUGGESTIONS = 12
_TIMES = {
    ">-15m": "in the last 15 minutes",
    ">-1h": "in the last hour",
    ">-24h": "in the last 24 hours",
    ">-7d": "in the last 7 days",
    "today": "since 00:00 UTC",
    "yesterday": "the whole day",
    "<-1h": "more than an hour ago",
    "-2h..-1h": "between 2 hours and 1 hour ago",
}


@dataclass(frozen=True, kw_only=True)
class Marked:
    """An error at one place of the line, with the text before, in and after the place."""

    before: str
    marked: str
    after: str
    message: str
    allowed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LineForm:
    """
    The query line.

    Args:
        text: the typed text, or the text for the address.
        errors: the errors in the text.
        others: the errors of parameters of the address that are not in the line.
        words: its filters in words, for a list without rows; empty for an invalid line.
    """

    text: str
    errors: Sequence[Marked] = ()
    others: Sequence[str] = ()
    words: Sequence[str] = ()


def typed_line(text: str, errors: Collection[LineError]) -> LineForm:
    """Return the line that the user typed, with its errors."""
    return LineForm(text=text, errors=[_mark_error(text, error) for error in errors])


def make_line_form(
    params: QueryDict, vocabulary: Vocabulary, errors: Collection[FieldError] = ()
) -> LineForm:
    """
    Return the line for an address.

    Args:
        params: the normalised parameters of the address.
        vocabulary: the vocabulary of the list.
        errors: the errors of the parameters. Errors of parameters without a term in the line go to `others`.
    """
    text, pieces = render_line(line_values(params, vocabulary), vocabulary)
    places = [(error, _piece_of(error, pieces)) for error in errors]
    return LineForm(
        text=text,
        errors=[_mark_error(text, _line_error(error, piece, vocabulary)) for error, piece in places if piece],
        others=[error.message for error, piece in places if piece is None],
        words=[_describe_piece(piece.names, params, vocabulary) for piece in pieces],
    )


def _piece_of(error: FieldError, pieces: Collection[Piece]) -> Piece | None:
    return next((piece for piece in pieces if error.field in piece.names), None)


def _line_error(error: FieldError, piece: Piece, vocabulary: Vocabulary) -> LineError:
    lacks_more = (error.field, error.code) == (vocabulary.text, "required")
    message = vocabulary.text_needs if lacks_more else said_plainly(error, vocabulary.labels)
    return LineError(start=piece.start, end=piece.end, message=message)


def _mark_error(text: str, error: LineError) -> Marked:
    return Marked(
        before=text[: error.start],
        marked=text[error.start : error.end],
        after=text[error.end :],
        message=error.message,
        allowed=error.allowed,
    )


def _describe_piece(names: Sequence[str], params: QueryDict, vocabulary: Vocabulary) -> str:
    name, value = names[0], text_of(params, names[0])
    label = vocabulary.label_of(name)
    if name in vocabulary.time_names:
        start, end = vocabulary.bounds_of(name)
        return f"{label} {moments.describe_range(params.get(start, ''), params.get(end, ''))}"
    if name == vocabulary.text:
        return f'{label} "{value}"'
    if phrase := vocabulary.phrases.get((name, value)):
        return phrase
    one = vocabulary.filters.get(name)
    if one is None or not one.repeatable:
        return f"{label}: {value}"
    return f"{label}: {join_with_commas(params.getlist(name) if one.is_text_list else value.split(','))}"


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """
    One suggestion.

    Args:
        text: the text in the list of suggestions.
        meaning: the meaning, in a few words.
        insert: the text that replaces `start` to `end` of the line.
    """

    text: str
    meaning: str
    insert: str


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """The suggestions for the place from `start` to `end` of the line, in characters, like a slice."""

    start: int
    end: int
    options: list[Suggestion]


def suggest_terms(line: str, at: int, vocabulary: Vocabulary, *, allowed: Collection[str]) -> Suggestions:
    """
    Return the suggestions for the position of the caret.

    Args:
        at: the caret, in characters.
        vocabulary: the vocabulary of the list.
        allowed: the names of the filters that the user may use.
    """
    term = next((each for each in split_terms(line) if each.start <= at <= each.end), None)
    if term is None or not term.key or at < term.value_start:
        return _suggest_keys(term, at, vocabulary, allowed)
    names = [name for name in vocabulary.names_by_key.get(term.key.lower(), ()) if name in allowed]
    if not names:
        return Suggestions(start=at, end=at, options=[])
    return _suggest_values(term, names[0], vocabulary)


def _suggest_keys(
    term: Term | None, at: int, vocabulary: Vocabulary, allowed: Collection[str]
) -> Suggestions:
    if term is not None and term.quoted:
        return Suggestions(start=at, end=at, options=[])
    typed = "" if term is None else (term.key or term.value).lower()
    start, end = (at, at) if term is None else (term.start, term.value_start if term.key else term.end)
    keys = [key for key in vocabulary.short_keys if vocabulary.names_by_key[key][0] in allowed]
    # A key that leaves values out is only suggested after its minus.
    fitting = sorted(
        (key for key in keys if typed in key and key.startswith("-") == typed.startswith("-")),
        key=lambda key: not key.startswith(typed),
    )
    options = [
        Suggestion(text=f"{key}:", meaning=_key_meaning(key, vocabulary), insert=f"{key}:") for key in fitting
    ]
    states = _states_beginning(typed, vocabulary) if typed and vocabulary.state in allowed else []
    return Suggestions(start=start, end=end, options=[*options, *states][:MAX_SUGGESTIONS])


def _key_meaning(key: str, vocabulary: Vocabulary) -> str:
    name = vocabulary.names_by_key[key][0]
    is_time = name in vocabulary.time_names
    hint = ">-2h, today, 2026-11-20..2026-11-21" if is_time else vocabulary.hints.get(name)
    label = vocabulary.label_of(name)
    return f"{label}: {hint}" if hint else label


def _states_beginning(typed: str, vocabulary: Vocabulary) -> list[Suggestion]:
    key = vocabulary.key_of(vocabulary.state)
    return [
        Suggestion(text=f"{key}:{state}", meaning=meaning, insert=f"{key}:{state} ")
        for state, meaning in vocabulary.find_values(vocabulary.state, "")
        if state.lower().startswith(typed)
    ]


def _suggest_values(term: Term, name: str, vocabulary: Vocabulary) -> Suggestions:
    if name in vocabulary.filters and vocabulary.filters[name].repeatable:
        return _suggest_several(term, vocabulary.excluded.get(name, name), vocabulary)
    if name in vocabulary.time_names:
        values: Iterable[tuple[str, str]] = [
            (value, meaning) for value, meaning in _TIMES.items() if value.startswith(term.value)
        ]
    else:
        values = vocabulary.find_values(name, term.value)
    options = [
        Suggestion(text=value, meaning=meaning, insert=f"{format_term(term.key, value)} ")
        for value, meaning in values
    ]
    return Suggestions(start=term.start, end=term.end, options=options[:MAX_SUGGESTIONS])


def _suggest_several(term: Term, name: str, vocabulary: Vocabulary) -> Suggestions:
    """Return the values that match the text after the last comma, without the ones before it."""
    is_state = name == vocabulary.state
    *before, last = [term.value] if term.quoted else split_values(term.value)
    if is_state:
        before, last = [value.upper() for value in before], last.upper()
    options = [
        Suggestion(
            text=value,
            meaning=meaning,
            insert=write_values(term.key, join_values([*before, value])) + ("" if is_state else " "),
        )
        for value, meaning in vocabulary.find_values(name, "" if is_state else last)
        if value not in before and (not is_state or last in value)
    ]
    if is_state:
        options.sort(key=lambda option: not option.text.startswith(last))
    return Suggestions(start=term.start, end=term.end, options=options[:MAX_SUGGESTIONS])
