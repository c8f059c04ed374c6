"""Compares two contents: line by line in canonical form, line by line as stored, or byte by byte."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic

from messages_app.core.formatting import count_of
from messages_app.payloads.comparison.canonical_form import Names, Placeholders, canonical_lines, root_of
from messages_app.payloads.comparison.differences import equal_start, find_changes
from messages_app.payloads.comparison.ignored import (
    NOTHING,
    Apart,
    ignored_lines,
    line_end_words,
    with_plain_ends,
)
from messages_app.payloads.comparison.rows import MAX_DIFFERENCES, Row, Texts, side_by_side, unify_rows
from messages_app.payloads.layout import Place, lay_out
from messages_app.payloads.loader import PIECE_BYTES, Opened, Source
from messages_app.payloads.segments import format_of
from messages_app.payloads.text_search import SEARCH_SECONDS
from messages_app.shared.markup import JSON, XML
from messages_app.shared.xml_parsing import CHECKED_BYTES

# The whole text is laid out as one piece, because it is compared and not shown.
_ALL_LINES = 10**9


_QUOTED_BYTES = 120


# The characters that begin a new line of a laid out text, and the number of them that takes half a second.
_PARTS = {XML: "<", JSON: ",:[{"}


_PARTS_OF_TEXT = "\n"


MAX_PARTS = 120_000


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
        standard: the name of the standard if they were compared by segments.
        apart: the differences that are not counted.
        problem: why they cannot be compared, in words.
        first_difference: the first difference of texts that are too large to be compared by lines.
    """

    texts: Texts | None = None
    form: str = ""
    standard: str = ""
    apart: Apart = NOTHING
    problem: str = ""
    first_difference: FirstDifference | None = None

    @property
    def count(self) -> int:
        """The number of differences."""
        return len(self.texts.changes) if self.texts else 0

    @property
    def headline(self) -> str:
        """The number of differences, with all else that the two differ in."""
        if not self.count:
            return f"No difference apart from {self.apart.words}" if self.apart.words else "No difference"
        counted = count_of(self.count, "difference")
        return f"{counted}, not counting {self.apart.words}" if self.apart.words else counted

    @property
    def last_shown(self) -> int:
        return min(self.count, MAX_DIFFERENCES)

    @property
    def more(self) -> int:
        """The number of differences that are not in the rows."""
        return max(self.count - MAX_DIFFERENCES, 0)

    def table_rows(self, *, is_unified: bool) -> Iterator[Row]:
        """Yield the rows of the table, with one side or both sides in each."""
        if self.texts is None:
            return iter(())
        rows_of_table = side_by_side(self.texts)
        return unify_rows(rows_of_table) if is_unified else rows_of_table


def compare_contents(
    left: Opened, right: Opened, *, is_exact: bool, own: tuple[Placeholders, Placeholders]
) -> Comparison:
    """
    Compare two contents, as far as the user may see them.

    Args:
        is_exact: compare them as stored, with times, prefixes and the order of attributes.
        own: of both sides, the values that differ between any two messages.
    """
    sides = []
    for one, side in ((left, "left"), (right, "right")):
        if one.view.content is None or one.view.content_type is None:
            return Comparison(problem=f"Nothing to compare on the {side}: {one.view.problem}")
        sides.append(_Side(text=one.view.content, content_type=one.view.content_type, bytes=one.view.bytes))
    if any(map(_is_too_large, sides)):
        return Comparison(first_difference=first_difference(left.source, right.source))
    canonical = None if is_exact else _compare_in_one_form(sides[0], sides[1], own)
    return canonical or _compare_as_stored(sides[0], sides[1])


def _compare_in_one_form(
    left: "_Side", right: "_Side", own: tuple[Placeholders, Placeholders]
) -> Comparison | None:
    """Compare the canonical forms; None if one of the two has none."""
    texts = left.text, right.text
    marked = _unify_texts(texts, own)
    if marked is None:
        return None
    compared = _compare_lines(*marked)
    plain = _unify_texts(texts, (Placeholders(), Placeholders())) or marked
    lines = ignored_lines(compared.equal_pairs(), marked, plain)
    others = _describe_notation(
        left.content_type, own[0].put(left.text), own[1].put(right.text), is_equal=not compared.changes
    )
    return Comparison(texts=compared, form=left.content_type, apart=Apart(lines, others))


def _compare_as_stored(left: "_Side", right: "_Side") -> Comparison:
    """Compare line by line, or segment by segment, whatever their line ends are."""
    formats = format_of(left.text), format_of(right.text)
    if formats[0] and formats[1] and formats[0].standard == formats[1].standard:
        segments = list(formats[0].split_segments(left.text)), list(formats[1].split_segments(right.text))
        lines = [[one.text for one in side if one.text] for side in segments]
        titles = [[one.title for one in side if one.text] for side in segments]
        compared = replace(_compare_lines(*lines), titles=(titles[0], titles[1]))
        standard = formats[0].standard
    else:
        plain = with_plain_ends(left.text), with_plain_ends(right.text)
        compared = _compare_lines(
            _lay_out_lines(plain[0], left.content_type), _lay_out_lines(plain[1], right.content_type)
        )
        standard = ""
    # Segments have no white space of their own between them.
    is_equal = not compared.changes and not standard
    others = _describe_notation(left.content_type, left.text, right.text, is_equal=is_equal)
    return Comparison(texts=compared, standard=standard, apart=Apart((), others))


_NOTATIONS = {
    XML: "notation (such as white space, prefixes, the order of attributes)",
    JSON: "notation (such as white space, the order of members, escapes)",
}


def _describe_notation(content_type: str, left: str, right: str, *, is_equal: bool) -> list[str]:
    """Return the differences of two texts that comparing their lines does not show, in words."""
    notations = [words] if (words := line_end_words(left, right)) else []
    has_mark = [text.startswith("\ufeff") for text in (left, right)]
    if has_mark[0] != has_mark[1]:
        notations.append("a byte order mark")
    plain = [with_plain_ends(text).removeprefix("\ufeff") for text in (left, right)]
    if is_equal and plain[0] != plain[1]:
        notations.append(_NOTATIONS.get(content_type, "white space between the lines"))
    return notations


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
    return sum(side.text.count(part) for part in parts) > MAX_PARTS


def _compare_lines(left: list[str], right: list[str]) -> Texts:
    return Texts(left, right, find_changes(left, right))


def _unify_texts(
    texts: tuple[str, str], placeholders: tuple[Placeholders, Placeholders]
) -> tuple[list[str], list[str]] | None:
    """Return the canonical lines of both texts; None if one of them has no canonical form."""
    names = Names()
    for text in texts:
        root = root_of(text)
        if root is not None:
            names.collect(root)
    left, right = (
        canonical_lines(text, names=names, placeholders=own)
        for text, own in zip(texts, placeholders, strict=True)
    )
    return None if left is None or right is None else (left, right)


def _lay_out_lines(text: str, content_type: str) -> list[str]:
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
