"""
Finds a word in a text of any size, without regard to case, reading it in pieces and for a limited time.

Source: docs/spec/promises.md, I-63; docs/spec/design.md, "Large contents".
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

from messages_app.payloads.loader import PIECE_BYTES, Source

MAX_HITS = 1000
LISTED_HITS = 50
# Checked between two pieces, each of which takes about a tenth of a second.
SEARCH_SECONDS = 0.7

# How much of the text around a hit is quoted, in characters.
_AROUND = 40
# How far before it the beginning of its line or tag is looked for, in bytes.
_NEAR = 2000
_LONGEST_CHAR = 4


@dataclass(frozen=True)
class Hit:
    """
    One place where the word is.

    Args:
        offset: in bytes.
        line: the number of its line in the stored text, from 1; None where the search began later.
        line_offset: where that line begins, in bytes; at most a few kB before the hit.
        tag_offset: the nearest "<" before it, in bytes, not further away.
        before, word, after: what is there.
    """

    offset: int
    line: int | None
    line_offset: int
    tag_offset: int
    before: str
    word: str
    after: str


@dataclass
class Hits:
    """
    What a search found.

    Attributes:
        listed: the first LISTED_HITS hits.
        count: how many there are, MAX_HITS at most.
        searched_to: how far it came, in bytes.
        is_complete: whether that is the text's end.
    """

    listed: list[Hit] = field(default_factory=list)
    count: int = 0
    searched_to: int = 0
    is_complete: bool = False


def search(source: Source, word: str, *, start: int = 0, seconds: float = SEARCH_SECONDS) -> Hits:
    """
    Return where `word` is in a text.

    Args:
        start: where to begin, in bytes.
        seconds: after how long to stop between two pieces.
    """
    hits, deadline = Hits(searched_to=start), monotonic() + seconds
    line = 1 if start == 0 else None
    while hits.searched_to < source.size and hits.count < MAX_HITS and monotonic() < deadline:
        # The next piece's beginning is read too: a word may continue across the border.
        body = source.read(hits.searched_to, PIECE_BYTES + len(word) * _LONGEST_CHAR)
        _search_piece(body, word, hits, line=line)
        line = None if line is None else line + body[:PIECE_BYTES].count(b"\n")
        hits.searched_to = min(hits.searched_to + PIECE_BYTES, source.size)
    hits.is_complete = hits.searched_to >= source.size and hits.count < MAX_HITS
    return hits


def _search_piece(body: bytes, word: str, hits: Hits, *, line: int | None) -> None:
    # Characters that the piece's borders cut stay what they are, so that bytes can be counted.
    text = body.decode(errors="surrogateescape")
    for place, at in islice(_places(text, word), MAX_HITS - hits.count):
        hits.count += 1
        if hits.count <= LISTED_HITS:
            hits.listed.append(_hit(body, text, place, len(word), at=at, offset=hits.searched_to, line=line))


def _places(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield where `word` is, in characters and in bytes."""
    haystack, needle = text.lower(), word.lower()
    if len(haystack) != len(text):  # a letter whose small form is two
        haystack, needle = text, word
    place, done, at = haystack.find(needle), 0, 0
    while place >= 0:
        at += len(text[done:place].encode(errors="surrogateescape"))
        done = place
        if at >= PIECE_BYTES:
            return
        yield place, at
        place = haystack.find(needle, place + len(needle))


def _hit(body: bytes, text: str, place: int, length: int, *, at: int, offset: int, line: int | None) -> Hit:
    earliest = max(at - _NEAR, 0)
    line_start = body.rfind(b"\n", earliest, at) + 1 or earliest
    tag_start = body.rfind(b"<", earliest, at + 1)
    return Hit(
        offset=offset + at,
        line=None if line is None else line + body.count(b"\n", 0, at),
        line_offset=offset + line_start,
        tag_offset=offset + (tag_start if tag_start >= 0 else at),
        before=_whole(text[max(place - _AROUND, 0) : place]).lstrip(),
        word=text[place : place + length],
        after=_whole(text[place + length : place + length + _AROUND]).rstrip(),
    )


def _whole(text: str) -> str:
    return text.encode(errors="ignore").decode()
