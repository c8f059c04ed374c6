"""Differences that a comparison does not count, but its headline names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from messages_app.core.formatting import count_of

# A time as messages have it. A run of digits around it would make it a part of a number.
MOMENT = re.compile(
    r"(?<!\d)\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?Z|\s?[+-]\d\d:?\d\d)?(?!\d)"
)
# A message is written shortly before it is received, and a time without a zone may be of any zone.
_TOLERANCE, _ANY_ZONE = timedelta(hours=1), timedelta(hours=14)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_NAMES = {"\r\n": "CR LF", "\r": "CR", "\n": "LF"}
# More places are not listed.
MAX_LISTED = 20


@dataclass(frozen=True)
class Span:
    """The time from which a message's own times are: from its first to its last processing."""

    first: datetime
    last: datetime

    def has_moment(self, text: str) -> bool:
        """Whether a time, as a message has it, is within the span."""
        try:
            moment = datetime.fromisoformat(re.sub(r"\s(?=[Z+-])", "", text.replace(",", ".")))
            has_zone = moment.tzinfo is not None
            moment = moment.astimezone(UTC) if has_zone else moment.replace(tzinfo=UTC)
            tolerance = _TOLERANCE if has_zone else _ANY_ZONE
            return self.first - tolerance <= moment <= self.last + tolerance
        except (ValueError, OverflowError):
            return False


def span_of(moments: Sequence[object]) -> Span | None:
    """Return the span of a message's own times; None if it has none that can be compared."""
    comparable = [moment for moment in moments if isinstance(moment, datetime)]
    return Span(min(comparable), max(comparable)) if comparable else None


@dataclass(frozen=True)
class Ignored:
    """A line of both sides that differs only in what the comparison ignores. Line numbers are from 1."""

    number: int
    left: str
    right: str
    times: int
    ids: int


@dataclass(frozen=True)
class Apart:
    """
    The differences of two contents that are not counted.

    Args:
        lines: the lines with ignored times and ids.
        others: the differences of the notation, in words.
    """

    lines: Sequence[Ignored] = ()
    others: Sequence[str] = ()

    @property
    def listed_lines(self) -> Sequence[Ignored]:
        return self.lines[:MAX_LISTED]

    @property
    def more(self) -> int:
        return max(len(self.lines) - MAX_LISTED, 0)

    @property
    def words(self) -> str:
        """All of it in words: "2 times, 1 message id and line ends (CR LF against LF)"; may be empty."""
        times, ids = (sum(getattr(line, name) for line in self.lines) for name in ("times", "ids"))
        counted = [count_of(times, "time")] * bool(times) + [count_of(ids, "message id")] * bool(ids)
        *before, last = [*counted, *self.others] or [""]
        return f"{', '.join(before)} and {last}" if before else last


NOTHING = Apart()


def ignored_lines(
    pairs: Iterator[tuple[int, int]],
    marked: tuple[Sequence[str], Sequence[str]],
    plain: tuple[Sequence[str], Sequence[str]],
) -> list[Ignored]:
    """
    Return the lines whose marked forms are equal although the lines differ.

    Args:
        pairs: the numbers of equal lines of both sides, from 0.
        marked, plain: the lines of both sides, with marks in place of times and ids, and without.
    """
    lines = []
    for a, b in pairs:
        left, right = plain[0][a], plain[1][b]
        if left != right:
            times = sum(x != y for x, y in zip(MOMENT.findall(left), MOMENT.findall(right), strict=False))
            ids = marked[0][a].count(" id]") - left.count(" id]")
            lines.append(Ignored(b + 1, left, right, times or int(not ids), ids))
    return lines


def line_end_words(left: str, right: str) -> str:
    """Return how the line ends of two texts differ, in words; empty if they do not."""
    if _LINE_ENDS.findall(left) == _LINE_ENDS.findall(right):
        return ""
    kinds = [_kinds_of(text) for text in (left, right)]
    if kinds[0] == kinds[1]:
        return "line ends"
    return f"line ends ({kinds[0]} against {kinds[1]})"


def _kinds_of(text: str) -> str:
    counts = Counter(_LINE_ENDS.findall(text))
    return " and ".join(name for end, name in _NAMES.items() if counts[end]) or "none"


def with_plain_ends(text: str) -> str:
    """Return a text with LF as its line ends."""
    return _LINE_ENDS.sub("\n", text)
