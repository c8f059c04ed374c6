"""The query line as the page shows it: its text, what is wrong and where, and the chips that say the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from messages_app.messages.filtering.filter_values import ANYWHERE
from messages_app.messages.filtering.filters import ARCHIVED, CONTENT, FAMILY
from messages_app.messages.listing.form import FilterForm, said_plainly
from messages_app.messages.query_line import moments
from messages_app.messages.query_line.addresses import PARAMETERS
from messages_app.messages.query_line.line import LineError, Piece, render
from messages_app.messages.query_line.vocabulary import BOUNDS, TIMES, label_of
from messages_app.web.problems import FieldError

_FLAGS = {
    (ARCHIVED, "true"): "In the archive",
    (ARCHIVED, "false"): "Live",
    (ARCHIVED, ANYWHERE): "Live and in the archive",
    (FAMILY, "roots"): "Roots only",
    (FAMILY, "failed"): "Parents of a failed message",
}
_ADD_A_RANGE = "A text is searched for inside a range of receipt: add received:>-2h, at most 31 days."


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One filter in force, in words: where it stands in the line, and the link that takes it away."""

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
    """Return the line as somebody typed it, with what is wrong."""
    return LineForm(text=text, errors=[_marked(text, error) for error in errors])


def of_address(params: QueryDict, form: FilterForm, errors: Collection[FieldError] = ()) -> LineForm:
    """
    Return the line for an address.

    Args:
        params: the address's parameters, tidied.
        errors: what is wrong with them; what stands in no term of the line is in `others`.
    """
    text, pieces = render({name: params[name] for name in params if name not in PARAMETERS})
    found = [(error, _piece_of(error, pieces)) for error in errors]
    return LineForm(
        text=text,
        errors=[_marked(text, _line_error(error, piece)) for error, piece in found if piece],
        others=[error.message for error, piece in found if piece is None],
        chips=[_chip(piece, params, form) for piece in pieces],
    )


def _piece_of(error: FieldError, pieces: Collection[Piece]) -> Piece | None:
    return next((piece for piece in pieces if error.field in piece.names), None)


def _line_error(error: FieldError, piece: Piece) -> LineError:
    message = _ADD_A_RANGE if (error.field, error.code) == (CONTENT, "required") else said_plainly(error)
    return LineError(start=piece.start, end=piece.end, message=message)


def _marked(text: str, error: LineError) -> Marked:
    return Marked(
        before=text[: error.start],
        marked=text[error.start : error.end],
        after=text[error.end :],
        message=error.message,
        allowed=error.allowed,
    )


def _chip(piece: Piece, params: QueryDict, form: FilterForm) -> Chip:
    return Chip(
        text=_words(piece.names, params),
        start=piece.start,
        end=piece.end,
        query=form.query(**dict.fromkeys(piece.names)),
    )


def _words(names: Sequence[str], params: QueryDict) -> str:
    name, value = names[0], params[names[0]]
    if name in TIMES:
        start, end = next(pair for pair in BOUNDS if name in pair)
        return f"{label_of(name)} {moments.in_words(params.get(start, ''), params.get(end, ''))}"
    if name == CONTENT:
        return f'{label_of(name)} "{value}"'
    return _FLAGS.get((name, value)) or f"{label_of(name)}: {value.replace(',', ', ')}"
