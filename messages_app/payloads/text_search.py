"""
Finds a word in a text of any size, and extracts the words of XML and JSON for a full-text index.

The search ignores case, reads the text in pieces, and stops after a limited time. Words are extracted only
from texts of at most CHECKED_BYTES; callers check that.

Source: docs/contributing/spec/promises.md, I-63; docs/contributing/spec/design.md, "Large contents".
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

from messages_app.payloads.content_types import guess_type
from messages_app.payloads.loader import PIECE_BYTES, Source
from messages_app.shared.markup import JSON, XML
from messages_app.shared.xml_parsing import BLANKS, Unreadable, parse_xml

MAX_HITS = 1000
LISTED_HITS = 50
# Seconds. Checked between two pieces, each of which takes about a tenth of a second.
SEARCH_SECONDS = 0.7

# The number of characters that are quoted on both sides of a hit.
_AROUND = 40
# The number of bytes before a hit in which the start of its line or tag is searched.
_NEAR = 2000
_MAX_CHAR = 4


@dataclass(frozen=True)
class Hit:
    """
    One occurrence of the word.

    Args:
        offset: its offset in bytes.
        line: the number of its line in the stored text, from 1; None if the search did not begin at the
            start.
        line_offset: the start of that line in bytes, at most a few kB before the hit.
        tag_offset: the offset of the nearest "<" before it in bytes, within the same distance.
        before, word, after: the text around and in the hit.
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
    The result of a search.

    Attributes:
        listed: the first LISTED_HITS hits.
        count: the number of hits, at most MAX_HITS.
        searched_to: the end of the searched part, in bytes.
        is_complete: whether that is the end of the text.
    """

    listed: list[Hit] = field(default_factory=list)
    count: int = 0
    searched_to: int = 0
    is_complete: bool = False


def search_text(source: Source, word: str, *, start: int = 0, seconds: float = SEARCH_SECONDS) -> Hits:
    """
    Find the occurrences of `word` in a text.

    Args:
        start: the offset of the search, in bytes.
        seconds: the time after which the search stops, between two pieces.
    """
    hits, deadline = Hits(searched_to=start), monotonic() + seconds
    line = 1 if start == 0 else None
    while hits.searched_to < source.size and hits.count < MAX_HITS and monotonic() < deadline:
        # The beginning of the next piece is read too, because a word may cross the border.
        body = source.read(hits.searched_to, PIECE_BYTES + len(word) * _MAX_CHAR)
        _search_piece(body, word, hits, line=line)
        line = None if line is None else line + body[:PIECE_BYTES].count(b"\n")
        hits.searched_to = min(hits.searched_to + PIECE_BYTES, source.size)
    hits.is_complete = hits.searched_to >= source.size and hits.count < MAX_HITS
    return hits


def _search_piece(body: bytes, word: str, hits: Hits, *, line: int | None) -> None:
    # Characters that the borders of the piece cut are preserved, so that bytes can be counted.
    text = body.decode(errors="surrogateescape")
    for place, at in islice(_find_places(text, word), MAX_HITS - hits.count):
        hits.count += 1
        if hits.count <= LISTED_HITS:
            hits.listed.append(
                _make_hit(body, text, place, len(word), at=at, offset=hits.searched_to, line=line)
            )


def _find_places(text: str, word: str) -> Iterator[tuple[int, int]]:
    """Yield the places of `word`, in characters and in bytes."""
    haystack, needle = text.lower(), word.lower()
    if len(haystack) != len(text):  # The lower case of some letters has two characters.
        haystack, needle = text, word
    place, done, at = haystack.find(needle), 0, 0
    while place >= 0:
        at += len(text[done:place].encode(errors="surrogateescape"))
        done = place
        if at >= PIECE_BYTES:
            return
        yield place, at
        place = haystack.find(needle, place + len(needle))


def _make_hit(
    body: bytes, text: str, place: int, length: int, *, at: int, offset: int, line: int | None
) -> Hit:
    earliest = max(at - _NEAR, 0)
    line_start = body.rfind(b"\n", earliest, at) + 1 or earliest
    tag_start = body.rfind(b"<", earliest, at + 1)
    return Hit(
        offset=offset + at,
        line=None if line is None else line + body.count(b"\n", 0, at),
        line_offset=offset + line_start,
        tag_offset=offset + (tag_start if tag_start >= 0 else at),
        before=_drop_surrogates(text[max(place - _AROUND, 0) : place]).lstrip(),
        word=text[place : place + length],
        after=_drop_surrogates(text[place + length : place + length + _AROUND]).rstrip(),
    )


def _drop_surrogates(text: str) -> str:
    return text.encode(errors="ignore").decode()


# The number of lines of a page, if no form feed ends it earlier.
LINES_OF_A_PAGE = 60


def words_of(text: str) -> str:
    """
    Return the values of XML (texts and attributes) or JSON, one per line, in their order. Other text is
    returned unchanged.

    Text that is not well-formed or not readable counts as other text, so that an index finds its words too.
    """
    kind = guess_type(text)
    try:
        if kind == XML:
            return "\n".join(_iterate_xml_texts(text))
        if kind == JSON:
            return "\n".join(_iterate_json_texts(text))
    except Unreadable:
        pass
    return text


def pages_of(text: str) -> int:
    """
    Return the number of pages of a text. A page has 60 lines, or ends at a form feed. An empty text has none.
    """
    if not text.strip():
        return 0
    return sum(max(1, -(-len(part.splitlines()) // LINES_OF_A_PAGE)) for part in text.split("\f"))


def _iterate_xml_texts(text: str) -> Iterator[str]:
    waiting: list = [parse_xml(text, size=len(text.encode()))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield from _strip_texts(node)
            continue
        # Comments and instructions are not words, but the text after them is.
        if isinstance(node.tag, str):
            yield from _strip_texts(*node.attrib.values(), node.text)
        waiting.extend(one for child in reversed(node) for one in (child.tail, child) if one is not None)


def _iterate_json_texts(text: str) -> Iterator[str]:
    try:
        # Numbers are kept as written in the text.
        waiting = [json.loads(text.lstrip(BLANKS), parse_int=str, parse_float=str)]
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable("") from error
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(reversed(value.values()))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
        elif isinstance(value, str):
            yield from _strip_texts(value)


def _strip_texts(*values: str | None) -> Iterator[str]:
    yield from (value.strip() for value in values if value and value.strip())
