"""A text as its bytes: offset, bytes in hexadecimal, and what of them is plain text."""

from collections.abc import Iterator
from typing import NamedTuple

ROW_BYTES = 16
PAGE_BYTES = 512 * ROW_BYTES


class Row(NamedTuple):
    """Up to ROW_BYTES bytes; `text` has a dot for what is not printable ASCII."""

    offset: str
    octets: str
    text: str


def rows(body: bytes, *, offset: int) -> Iterator[Row]:
    """Yield the rows of `body`, which stands at `offset` of the text."""
    for start in range(0, len(body), ROW_BYTES):
        part = body[start : start + ROW_BYTES]
        halves = f"{part[:8].hex(' ')}  {part[8:].hex(' ')}"
        yield Row(f"{offset + start:08x}", f"{halves:<48}", "".join(map(_plain, part)))


def _plain(octet: int) -> str:
    return chr(octet) if 32 <= octet < 127 else "."
