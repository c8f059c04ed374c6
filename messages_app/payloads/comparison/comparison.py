"""Compares two contents: line by line in canonical form, line by line as stored, or byte by byte."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from time import monotonic

from messages_app.payloads.comparison.canonical_form import Names, Placeholders, canonical_lines, root_of
from messages_app.payloads.comparison.differences import Change, changes, equal_start
from messages_app.payloads.content import JSON, XML
from messages_app.payloads.layout import Place, lay_out
from messages_app.payloads.loader import PIECE_BYTES, Opened, Source
from messages_app.payloads.payloads import CHECKED_BYTES
from messages_app.payloads.text_search import SEARCH_SECONDS

# A comparison as the rows of a table: differences, each with some equal lines around it.


# The number of equal lines shown before and after a difference.
AROUND = 3
MAX_DIFFERENCES = 200
# The number of lines shown for a difference, and of characters around the first change of a line.
MAX_LINES = 60
MAX_CHARS = 400
_BEFORE_CHANGE = 80


class RowKind(StrEnum):
    HEAD = "head"
    SAME = "same"
    CHANGED = "changed"
    SKIPPED = "skipped"
    CUT = "cut"


@dataclass(frozen=True)
class Cell:
    """A line: its number, and its text in three parts. The other side does not have the middle one."""

    number: int
    before: str
    changed: str = ""
    after: str = ""


@dataclass(frozen=True)
class Row:
    """
    One row.

    Args:
        number: the number of the difference that a HEAD row begins.
        count: the number of lines that a SKIPPED or CUT row represents.
        left, right: the line of each side, or None.
    """

    kind: RowKind
    left: Cell | None = None
    right: Cell | None = None
    number: int = 0
    count: int = 0


@dataclass(frozen=True)
class Texts:
    """The lines of both sides."""

    left: Sequence[str]
    right: Sequence[str]
    found: Sequence[Change] = field(default_factory=tuple)


def side_by_side(texts: Texts) -> Iterator[Row]:
    """
    Yield the rows with the lines of both sides next to each other, for at most MAX_DIFFERENCES differences.
    """
    done = 0
    for number, change in enumerate(texts.found[:MAX_DIFFERENCES], 1):
        yield from _equal(texts, done, change, is_first=number == 1)
        yield Row(RowKind.HEAD, number=number)
        yield from _changed_rows(texts, change)
        done = change.left_end
        following = texts.found[number].left_start if number < len(texts.found) else len(texts.left)
        shown = min(AROUND, following - done)
        offset = change.right_end - change.left_end
        yield from (_same(texts, n, n + offset) for n in range(done, done + shown))
        done += shown
    if texts.found and len(texts.found) <= MAX_DIFFERENCES and done < len(texts.left):
        yield Row(RowKind.SKIPPED, count=len(texts.left) - done)


def unify_rows(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield the same rows with one side each. The left lines of a difference come first."""
    added: list[Row] = []
    for row in rows:
        if row.kind is RowKind.CHANGED:
            if row.left:
                yield Row(RowKind.CHANGED, left=row.left)
            if row.right:
                added.append(Row(RowKind.CHANGED, right=row.right))
            continue
        yield from added
        added = []
        yield row
    yield from added


def _equal(texts: Texts, done: int, change: Change, *, is_first: bool) -> Iterator[Row]:
    """
    Yield the equal lines before a difference from `done` on: the last few, and the number of the others.
    """
    start = max(done, change.left_start - AROUND)
    if start > done:
        yield Row(RowKind.SKIPPED, count=start - done)
    offset = change.right_start - change.left_start
    yield from (_same(texts, n, n + offset) for n in range(start, change.left_start))


def _same(texts: Texts, left: int, right: int) -> Row:
    text = _short(texts.left[left], 0)
    return Row(RowKind.SAME, Cell(left + 1, text), Cell(right + 1, text))


def _changed_rows(texts: Texts, change: Change) -> Iterator[Row]:
    left = range(change.left_start, change.left_end)
    right = range(change.right_start, change.right_end)
    for a, b in list(zip_longest(left, right))[:MAX_LINES]:
        yield Row(RowKind.CHANGED, *_cells(texts, a, b))
    more = max(len(left), len(right)) - MAX_LINES
    if more > 0:
        yield Row(RowKind.CUT, count=more)


def _alone(lines: Sequence[str], number: int | None) -> Cell | None:
    """Return the cell of a line without a counterpart on the other side."""
    return None if number is None else Cell(number + 1, "", _short(lines[number], 0))


def _cells(texts: Texts, a: int | None, b: int | None) -> tuple[Cell | None, Cell | None]:
    if a is None or b is None:
        return _alone(texts.left, a), _alone(texts.right, b)
    left, right = texts.left[a], texts.right[b]
    start = equal_start(left, right)
    end = equal_start(left[start:][::-1], right[start:][::-1])
    return _cell(a, left, start, len(left) - end), _cell(b, right, start, len(right) - end)


def _cell(number: int, line: str, start: int, end: int) -> Cell:
    before = line[:start]
    if len(line) > MAX_CHARS and start > _BEFORE_CHANGE:
        before = f"…{line[start - _BEFORE_CHANGE : start]}"
    return Cell(number + 1, before, _short(line[start:end], 0), _short(line[end:], len(before)))


def _short(text: str, used: int) -> str:
    room = max(MAX_CHARS - used, _BEFORE_CHANGE)
    return text if len(text) <= room else f"{text[:room]}…"


# The whole text is laid out as one piece, because it is compared and not shown.
_ALL_LINES = 10**9
_QUOTED_BYTES = 120
# The characters that begin a new line of a laid out text, and the number of them that takes half a second.
_PARTS = {XML: "<", JSON: ",:[{"}
_PARTS_OF_TEXT = "\n"
MOST_PARTS = 120_000


@dataclass(frozen=True)
class FirstDifference:
    """
    The first difference of two large texts.

    Args:
        offset: its place in bytes; None: no difference up to `read_to`.
        read_to: the number of bytes of each text that were read.
        left, right: the texts at that place.
    """

    offset: int | None
    read_to: int
    is_complete: bool
    left: str = ""
    right: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """
    The differences of two contents.

    Args:
        texts: the lines of both, with the differences; None if they were not compared by lines.
        form: XML or JSON if they were compared in canonical form; empty if they were compared as stored.
        problem: why they cannot be compared, in words.
        first_difference: the first difference of texts that are too large to be compared by lines.
    """

    texts: Texts | None = None
    form: str = ""
    problem: str = ""
    first_difference: FirstDifference | None = None

    @property
    def count(self) -> int:
        """The number of differences."""
        return len(self.texts.found) if self.texts else 0

    @property
    def last_shown(self) -> int:
        return min(self.count, MAX_DIFFERENCES)

    @property
    def more(self) -> int:
        """The number of differences that are not in the rows."""
        return max(self.count - MAX_DIFFERENCES, 0)

    def rows(self, *, is_unified: bool) -> Iterator[Row]:
        """Yield the rows of the table, with one side or both sides in each."""
        if self.texts is None:
            return iter(())
        found = side_by_side(self.texts)
        return unify_rows(found) if is_unified else found


def compare(
    left: Opened,
    right: Opened,
    *,
    is_exact: bool,
    left_ids: Mapping[str, str],
    right_ids: Mapping[str, str],
) -> Comparison:
    """
    Compare two contents, as far as the user may see them.

    Args:
        is_exact: compare them as stored, with times, prefixes and the order of attributes.
        left_ids, right_ids: ids that differ between any two messages, with the marks that replace them.
    """
    sides = []
    for one, side in ((left, "left"), (right, "right")):
        if one.view.content is None or one.view.content_type is None:
            return Comparison(problem=f"Nothing to compare on the {side}: {one.view.problem}")
        sides.append(_Side(text=one.view.content, content_type=one.view.content_type, bytes=one.view.bytes))
    if any(map(_is_too_large, sides)):
        return Comparison(first_difference=first_difference(left.source, right.source))
    if not is_exact:
        texts = sides[0].text, sides[1].text
        lines = _in_one_form(texts, (Placeholders(left_ids), Placeholders(right_ids)))
        if lines:
            return Comparison(texts=_texts(*lines), form=sides[0].content_type)
    return Comparison(texts=_texts(*(_lines(side.text, side.content_type) for side in sides)))


@dataclass(frozen=True, kw_only=True)
class _Side:
    """One of two contents, with its text. `bytes` are the bytes of the whole content."""

    text: str
    content_type: str
    bytes: int


def _is_too_large(side: _Side) -> bool:
    if side.bytes > CHECKED_BYTES:
        return True
    parts = _PARTS.get(side.content_type, _PARTS_OF_TEXT)
    return sum(side.text.count(part) for part in parts) > MOST_PARTS


def _texts(left: list[str], right: list[str]) -> Texts:
    return Texts(left, right, changes(left, right))


def _in_one_form(texts: tuple[str, str], placeholders: tuple[Placeholders, Placeholders]) -> list[list[str]]:
    """Return the canonical lines of both texts; empty if one of them has no canonical form."""
    names = Names()
    for text in texts:
        root = root_of(text)
        if root is not None:
            names.collect(root)
    found = []
    for text, own in zip(texts, placeholders, strict=True):
        lines = canonical_lines(text, names=names, placeholders=own)
        if lines is None:
            return []
        found.append(lines)
    return found


def _lines(text: str, content_type: str) -> list[str]:
    piece = lay_out(text, Place(), content_type=content_type, is_end=True, most_lines=_ALL_LINES)
    return [line.text for line in piece.lines]


def first_difference(left: Source, right: Source, *, seconds: float = SEARCH_SECONDS) -> FirstDifference:
    """Return the first difference of two texts. Both are read for a limited time."""
    deadline = monotonic() + seconds
    for offset in range(0, max(left.size, right.size), PIECE_BYTES):
        one, other = left.read(offset, PIECE_BYTES), right.read(offset, PIECE_BYTES)
        if one != other:
            at = equal_start(one, other)
            return FirstDifference(offset + at, offset + at, True, _quote_at(one, at), _quote_at(other, at))
        if monotonic() > deadline:
            return FirstDifference(None, offset + PIECE_BYTES, False)
    return FirstDifference(None, left.size, True)


def _quote_at(body: bytes, at: int) -> str:
    return body[max(at - _QUOTED_BYTES // 3, 0) : at + _QUOTED_BYTES].decode(errors="ignore")
