"""The query line on a page: its text, its errors with their places, and its filters in words."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from messages_app.core.filters import moments
from messages_app.core.formatting import join_with_commas
from messages_app.core.lists.filter_form import said_plainly
from messages_app.core.parameters import text_of
from messages_app.core.problems import FieldError
from messages_app.core.query_language.parser import LineError, Piece, line_values, render_line
from messages_app.core.query_language.vocabulary import Vocabulary


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
