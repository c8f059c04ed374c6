"""
Reads large texts out of the hub's tables without holding more of them than is needed.

A text may be 100 MB (docs/spec/bad_input.md, X27): its size is known without reading it, and any part of it
is read by its place in bytes, which costs the same at the end of the text as at its beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from django.db.models import BinaryField, Case, F, Func, IntegerField, QuerySet, TextField, Value, When
from django.db.models.functions import Left, Substr
from django.db.models.lookups import LessThanOrEqual

from messages_app.payloads.payloads import CHECKED_BYTES

# Of a text that is not read whole, enough to see what it is.
BEGINNING_CHARS = 1000
PIECE_BYTES = 4 * 1024 * 1024


class ContentNotFound(Exception):
    """No row has this key."""


class Source(Protocol):
    """A text that is read by its bytes in UTF-8; `size` is how many there are."""

    @property
    def size(self) -> int: ...

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset` on, both counted from 0; none behind the end."""


@dataclass(frozen=True)
class HeldText:
    """A text that is in memory already."""

    body: bytes

    @property
    def size(self) -> int:
        return len(self.body)

    def read(self, offset: int, length: int) -> bytes:
        return self.body[offset : offset + length]


@dataclass(frozen=True)
class StoredText:
    """The text of one column of the one row of `rows`."""

    rows: QuerySet
    column: str
    size: int

    def read(self, offset: int, length: int) -> bytes:
        part = Substr(_in_utf8(self.column), Value(offset + 1), Value(length), output_field=BinaryField())
        return bytes(self.rows.values_list(part, flat=True).first() or b"")


@dataclass(frozen=True)
class Beginning:
    """
    What a page needs of a text.

    Args:
        text: the text; where it is larger than CHECKED_BYTES, its first characters; None where nothing is
            stored.
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
    text = Case(
        When(LessThanOrEqual(size, CHECKED_BYTES), then=F(column)),
        default=Left(column, BEGINNING_CHARS),
        output_field=TextField(),
    )
    found = rows.values_list(text, size).first()
    if found is None:
        raise ContentNotFound
    return Beginning(*found)


def pieces(source: Source) -> Iterator[bytes]:
    """Yield a text in pieces of a few MB; it ends early where the row is gone meanwhile."""
    for offset in range(0, source.size, PIECE_BYTES):
        yield source.read(offset, PIECE_BYTES)


def _in_utf8(column: str) -> Func:
    return Func(F(column), Value("UTF8"), function="convert_to", output_field=BinaryField())
