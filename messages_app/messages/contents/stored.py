"""
Reads large texts out of the hub's tables without holding more of them than is shown.

A text may be 100 MB (reliability X27): its size is known without reading it, a page reads its beginning,
and a download reads it piece by piece.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Case, F, Func, IntegerField, QuerySet, TextField, Value, When
from django.db.models.functions import Left, Substr
from django.db.models.lookups import LessThanOrEqual

from messages_app.messages.contents.payloads import LAID_OUT_BYTES, SHOWN_CHARS

_PIECE_CHARS = 4 * 1024 * 1024


class ContentNotFound(Exception):
    """No row has this key."""


@dataclass(frozen=True)
class Beginning:
    """
    What a page needs of a text.

    Args:
        text: the text; where it is larger than can be laid out, its first SHOWN_CHARS characters;
            None where nothing is stored.
        stored_bytes: the size of the whole; None where nothing is stored.
    """

    text: str | None
    stored_bytes: int | None


def size_of(column: str) -> Func:
    """Return the expression for a text's size in bytes, which PostgreSQL knows without reading the text."""
    return Func(F(column), function="octet_length", output_field=IntegerField())


def read_beginning(rows: QuerySet, column: str) -> Beginning:
    """
    Return the beginning of one text.

    Args:
        rows: holds the one row.

    Raises:
        ContentNotFound: it holds none.
    """
    size = size_of(column)
    shown = Case(
        When(LessThanOrEqual(size, LAID_OUT_BYTES), then=F(column)),
        default=Left(column, SHOWN_CHARS),
        output_field=TextField(),
    )
    found = rows.values_list(shown, size).first()
    if found is None:
        raise ContentNotFound
    return Beginning(*found)


def pieces(rows: QuerySet, column: str) -> Iterator[bytes]:
    """Yield one text in UTF-8, in pieces of a few MB; nothing where the row is gone or holds none."""
    position = 1
    while piece := rows.values_list(Substr(column, Value(position), Value(_PIECE_CHARS)), flat=True).first():
        yield piece.encode()
        if len(piece) < _PIECE_CHARS:
            return
        position += _PIECE_CHARS
