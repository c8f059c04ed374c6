"""Compares two contents: line by line in one form, exactly as they are laid out, or by their bytes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic

from messages_app.contents.comparing.diff_rows import MAX_DIFFERENCES, Row, Texts, side_by_side, unified
from messages_app.contents.comparing.differing import changes, equal_start
from messages_app.contents.comparing.normalising import Names, Placeholders, normalised, root_of
from messages_app.contents.content_types import JSON, XML
from messages_app.contents.layout import Place, lay_out
from messages_app.contents.opened import Opened
from messages_app.contents.payloads import CHECKED_BYTES
from messages_app.contents.searching import SEARCH_SECONDS
from messages_app.contents.stored import PIECE_BYTES, Source

# Laid out in one piece, which is compared and not shown whole.
_ALL_LINES = 10**9
_QUOTED_BYTES = 120
# What begins a part of a text that becomes a line of its own; so many are brought into form in half a second.
_PARTS = {XML: "<", JSON: ",:[{"}
_PARTS_OF_TEXT = "\n"
MOST_PARTS = 120_000


@dataclass(frozen=True)
class FirstDifference:
    """
    Where two large texts first differ.

    Args:
        offset: in bytes; None where they do not, as far as `read_to`.
        read_to: how far both were read.
        left, right: what stands there.
    """

    offset: int | None
    read_to: int
    is_complete: bool
    left: str = ""
    right: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """
    What differs between two contents.

    Args:
        texts: the lines of both, with what differs; None where they were not compared by lines.
        form: XML or JSON where both were brought into one form; empty where they were compared as they are.
        problem: why there is nothing to compare, in words.
        first_difference: of texts too large to be compared by lines.
    """

    texts: Texts | None = None
    form: str = ""
    problem: str = ""
    first_difference: FirstDifference | None = None

    @property
    def count(self) -> int:
        """How many differences there are."""
        return len(self.texts.found) if self.texts else 0

    @property
    def last_shown(self) -> int:
        return min(self.count, MAX_DIFFERENCES)

    @property
    def more(self) -> int:
        """How many of them are not among the rows."""
        return max(self.count - MAX_DIFFERENCES, 0)

    def rows(self, *, is_unified: bool) -> Iterator[Row]:
        """Yield the rows of the table."""
        found = side_by_side(self.texts)
        return unified(found) if is_unified else found


def compare(
    left: Opened,
    right: Opened,
    *,
    is_exact: bool,
    left_ids: Mapping[str, str],
    right_ids: Mapping[str, str],
) -> Comparison:
    """
    Return what differs between two contents, as far as their reader may see it.

    Args:
        is_exact: compare them as they are laid out, with moments, prefixes and the order of attributes.
        left_ids, right_ids: ids that differ between any two messages, with the marks that stand for them.
    """
    for one, side in ((left, "left"), (right, "right")):
        if one.view.content is None:
            return Comparison(problem=f"Nothing to compare on the {side}: {one.view.problem}")
    if any(map(_is_too_large, (left, right))):
        return Comparison(first_difference=first_difference(left.source, right.source))
    texts = left.view.content, right.view.content
    if not is_exact:
        lines = _in_one_form(texts, (Placeholders(left_ids), Placeholders(right_ids)))
        if lines:
            return Comparison(texts=_texts(*lines), form=left.view.content_type)
    return Comparison(
        texts=_texts(*(_lines(one.view.content, one.view.content_type) for one in (left, right)))
    )


def _is_too_large(one: Opened) -> bool:
    if one.view.bytes > CHECKED_BYTES:
        return True
    parts = _PARTS.get(one.view.content_type, _PARTS_OF_TEXT)
    return sum(map(one.view.content.count, parts)) > MOST_PARTS


def _texts(left: list[str], right: list[str]) -> Texts:
    return Texts(left, right, changes(left, right))


def _in_one_form(texts: tuple[str, str], placeholders: tuple[Placeholders, Placeholders]) -> list[list[str]]:
    """Return the lines of both in one form; nothing where one has none."""
    names = Names()
    for text in texts:
        root = root_of(text)
        if root is not None:
            names.collect(root)
    found = []
    for text, own in zip(texts, placeholders, strict=True):
        lines = normalised(text, names=names, placeholders=own)
        if lines is None:
            return []
        found.append(lines)
    return found


def _lines(text: str, content_type: str) -> list[str]:
    piece = lay_out(text, Place(), content_type=content_type, is_end=True, most_lines=_ALL_LINES)
    return [line.text for line in piece.lines]


def first_difference(left: Source, right: Source, *, seconds: float = SEARCH_SECONDS) -> FirstDifference:
    """Return where two texts first differ, reading both side by side for a limited time."""
    deadline = monotonic() + seconds
    for offset in range(0, max(left.size, right.size), PIECE_BYTES):
        one, other = left.read(offset, PIECE_BYTES), right.read(offset, PIECE_BYTES)
        if one != other:
            at = equal_start(one, other)
            return FirstDifference(offset + at, offset + at, True, _quoted(one, at), _quoted(other, at))
        if monotonic() > deadline:
            return FirstDifference(None, offset + PIECE_BYTES, False)
    return FirstDifference(None, left.size, True)


def _quoted(body: bytes, at: int) -> str:
    return body[max(at - _QUOTED_BYTES // 3, 0) : at + _QUOTED_BYTES].decode(errors="ignore")
