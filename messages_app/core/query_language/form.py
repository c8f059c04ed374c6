"""The query line as the page shows it: its text, what is wrong and where, and the chips that say the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from messages_app.core.filters import moments
from messages_app.core.filters.address import PARAMETERS
from messages_app.core.formatting import with_commas
from messages_app.core.lists.filter_form import ListForm, said_plainly
from messages_app.core.parameters import text_of
from messages_app.core.problems import FieldError
from messages_app.core.query_language.parser import LineError, Piece, render
from messages_app.core.query_language.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One filter in force, in words: where it is in the line, and the link that takes it away."""

    text: str
    start: int
    end: int
    query: str


@dataclass(frozen=True, kw_only=True)
class Marked:
    """What is wrong at one place, and the line around the place."""

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
        text: as it was typed, or as the address says it.
        errors: what is wrong in it.
        others: what is wrong with parameters of the address that are not in the line.
        chips: what it says; none for a line that cannot be read.
    """

    text: str
    errors: Sequence[Marked] = ()
    others: Sequence[str] = ()
    chips: Sequence[Chip] = ()


def typed(text: str, errors: Collection[LineError]) -> LineForm:
    """Return the line as someone typed it, with what is wrong."""
    return LineForm(text=text, errors=[_marked(text, error) for error in errors])


def of_address(
    params: QueryDict, vocabulary: Vocabulary, form: ListForm, errors: Collection[FieldError] = ()
) -> LineForm:
    """
    Return the line for an address.

    Args:
        params: the address's parameters, tidied.
        vocabulary: the list's words.
        form: the list's form, which makes the links that change one part.
        errors: what is wrong with them; what is in no term of the line is in `others`.
    """
    text, pieces = render(
        {name: text_of(params, name) for name in params if name not in PARAMETERS}, vocabulary
    )
    found = [(error, _piece_of(error, pieces)) for error in errors]
    return LineForm(
        text=text,
        errors=[_marked(text, _line_error(error, piece, vocabulary)) for error, piece in found if piece],
        others=[error.message for error, piece in found if piece is None],
        chips=[_chip(piece, params, vocabulary, form) for piece in pieces],
    )


def _piece_of(error: FieldError, pieces: Collection[Piece]) -> Piece | None:
    return next((piece for piece in pieces if error.field in piece.names), None)


def _line_error(error: FieldError, piece: Piece, vocabulary: Vocabulary) -> LineError:
    lacks_more = (error.field, error.code) == (vocabulary.text, "required")
    message = vocabulary.text_needs if lacks_more else said_plainly(error, vocabulary.labels)
    return LineError(start=piece.start, end=piece.end, message=message)


def _marked(text: str, error: LineError) -> Marked:
    return Marked(
        before=text[: error.start],
        marked=text[error.start : error.end],
        after=text[error.end :],
        message=error.message,
        allowed=error.allowed,
    )


def _chip(piece: Piece, params: QueryDict, vocabulary: Vocabulary, form: ListForm) -> Chip:
    return Chip(
        text=_words(piece.names, params, vocabulary),
        start=piece.start,
        end=piece.end,
        query=form.query(**dict.fromkeys(piece.names)),
    )


def _words(names: Sequence[str], params: QueryDict, vocabulary: Vocabulary) -> str:
    name, value = names[0], text_of(params, names[0])
    label = vocabulary.label_of(name)
    if name in vocabulary.time_names:
        start, end = vocabulary.bounds_of(name)
        return f"{label} {moments.in_words(params.get(start, ''), params.get(end, ''))}"
    if name == vocabulary.text:
        return f'{label} "{value}"'
    return vocabulary.said.get((name, value)) or f"{label}: {with_commas(value.split(','))}"
