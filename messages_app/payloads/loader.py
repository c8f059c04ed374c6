"""
Reads the necessary parts of large texts from the hub's tables, and masks them.

A text may have 100 MB (docs/contributing/spec/bad_input.md, X27). Its size is known without reading it. Any
part of it is read by its offset in bytes, which costs the same at any offset.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import BinaryField, Case, F, Func, IntegerField, QuerySet, TextField, Value, When
from django.db.models.functions import Left, Substr
from django.db.models.lookups import LessThanOrEqual

from messages_app.payloads.payload_view import PayloadView, payload_view
from messages_app.shared.xml_parsing import CHECKED_BYTES

# Enough of a text that is not read completely to guess its type.
BEGINNING_CHARS = 1000


PIECE_BYTES = 4 * 1024 * 1024


class ContentNotFound(Exception):
    """No row has this key."""


@dataclass(frozen=True)
class TextInMemory:
    """A text in memory, read by bytes of its UTF-8. `size` is the number of bytes."""

    body: bytes

    @property
    def size(self) -> int:
        return len(self.body)

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset` on, counted from 0; empty after the end."""
        return self.body[offset : offset + length]


@dataclass(frozen=True)
class StoredText:
    """The text in a column of the single row of `rows`."""

    rows: QuerySet
    column: str
    size: int

    def read(self, offset: int, length: int) -> bytes:
        part = Substr(
            _encode_as_utf8(self.column), Value(offset + 1), Value(length), output_field=BinaryField()
        )
        return bytes(self.rows.values_list(part, flat=True).first() or b"")


Source = TextInMemory | StoredText


@dataclass(frozen=True)
class Beginning:
    """
    The part of a text that a page needs.

    Args:
        text: the text, or its first characters if it is larger than CHECKED_BYTES; None if nothing is stored.
        stored_bytes: the size of the complete text; None if nothing is stored.
    """

    text: str | None
    stored_bytes: int | None


def size_of(column: str) -> Func:
    """
    Return the expression for the size of a text in bytes, which PostgreSQL knows without reading the text.
    """
    return Func(F(column), function="octet_length", output_field=IntegerField())


def read_beginning(rows: QuerySet, column: str) -> Beginning:
    """
    Return the beginning of one text.

    Args:
        rows: a queryset with the row.

    Raises:
        ContentNotFound: the queryset is empty.
    """
    size = size_of(column)
    text = Case(
        When(LessThanOrEqual(size, CHECKED_BYTES), then=F(column)),
        default=Left(column, BEGINNING_CHARS),
        output_field=TextField(),
    )
    row = rows.values_list(text, size).first()
    if row is None:
        raise ContentNotFound
    return Beginning(*row)


def read_pieces(source: Source) -> Iterator[bytes]:
    """Yield a text in pieces of a few MB. It ends early if the row is deleted."""
    for offset in range(0, source.size, PIECE_BYTES):
        yield source.read(offset, PIECE_BYTES)


def _encode_as_utf8(column: str) -> Func:
    return Func(F(column), Value("UTF8"), function="convert_to", output_field=BinaryField())


@dataclass(frozen=True)
class Opened:
    """
    The known properties of a content, and the source that it is read from, which never returns masked values.
    """

    view: PayloadView
    source: Source


def visible_content(beginning: Beginning, source: Source, *, masked: bool) -> Opened:
    """
    Return a content as a user sees it, completely or, if `masked`, only its structure.

    Args:
        beginning, source: its beginning, and the complete text.
    """
    view = payload_view(beginning.text, masked=masked, stored_bytes=beginning.stored_bytes)
    if view.masked or view.bytes <= CHECKED_BYTES:
        return Opened(view, TextInMemory((view.content or "").encode()))
    return Opened(view, source)


def content_in_memory(text: str | None) -> tuple[Beginning, Source]:
    """
    Return the beginning and the source of a text in memory. The beginning has None if nothing is stored.
    """
    body = (text or "").encode()
    is_whole = len(body) <= CHECKED_BYTES
    beginning = text if is_whole or text is None else text[:BEGINNING_CHARS]
    return Beginning(beginning, None if text is None else len(body)), TextInMemory(body)
